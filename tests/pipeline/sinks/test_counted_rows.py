"""What is counted of records while they are written gives the report of the records themselves."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline.sinks.counted_rows import CountedRows

from launch.report.counts import tally as tally_module
from launch.report.counts.tally import Findings, Tally
from launch.report.page.page import render
from pipeline.sinks import counted_rows
from pipeline.sinks.row_formats import EnrichedFiles
from schemas.enriched_answer import AnswerRow, EnrichedAnswer
from schemas.verdict import Verdict
from tests.support.builders import a_claim, a_fact, an_enriched
from tests.support.reports import hostile_answers, row_of
from tests.support.whole_records import ENRICHED
from transforms.rules.redaction import TextMode, redact
from transforms.rules.tagging import Thresholds

# Few values, so that many are equal.
scores = st.sampled_from([None, 0.1, 0.2, 0.3])
others = st.fixed_dictionaries(
    {
        "verdict": st.sampled_from([Verdict.LOW_GROUNDED, Verdict.LOW_GROUNDED, Verdict.GROUNDED]),
        "min_claim_score": scores,
        "support_score": scores,
        "engine": st.sampled_from([None, "shop", "e" * 400]),
        "session": st.sampled_from([None, "s1", "s2"]),
        "event_time_us": st.sampled_from([None, 0, 1_772_000_000_123_456]),
        "facts": st.lists(
            st.builds(
                a_fact,
                st.just("Lamps glow."),
                title=st.sampled_from([None, "One", "Two"]),
                uri=st.sampled_from([None, "u"]),
                document=st.sampled_from([None, "d"]),
            ),
            max_size=3,
        ).map(tuple),
        "claims": st.lists(
            st.builds(a_claim, score=scores, generator_score=scores), min_size=1, max_size=3
        ).map(tuple),
    }
)


def page_of(rows: Sequence[AnswerRow]) -> str:
    tally = Tally(Thresholds(), {})
    for row in rows:
        tally.add_answer(row)
    return render(Findings(tally=tally, summary=None, unreadable=()), "out")


def counted(answers: Sequence[EnrichedAnswer], mode: TextMode) -> list[AnswerRow]:
    counts = CountedRows(EnrichedFiles(mode))
    return [msgspec.json.decode(counts.encode(answer), type=AnswerRow) for answer in answers]


@pytest.mark.parametrize("mode", TextMode)
def test_the_page_of_what_was_counted_is_that_of_the_records(mode: TextMode) -> None:
    answers = [*ENRICHED.values(), *hostile_answers()]
    assert page_of(counted(answers, mode)) == page_of([row_of(redact(a, mode)) for a in answers])


@settings(max_examples=40)
@given(st.lists(others, max_size=12), st.sampled_from(TextMode), st.integers(1, 4))
def test_texts_are_kept_of_the_worst_answers_alone(
    fields: list[dict[str, Any]], mode: TextMode, most: int
) -> None:
    answers = [an_enriched(record_id=f"{n:064x}", **each) for n, each in enumerate(fields)]
    with (
        patch.object(counted_rows, "SHOWN_ANSWERS", most),
        patch.object(tally_module.Tally.__init__, "__defaults__", (most,)),
    ):
        found, expected = counted(answers, mode), [row_of(redact(each, mode)) for each in answers]
        assert page_of(found) == page_of(expected)
        # The files are in the order of dates, which may differ from that of the run.
        assert page_of(found[::-1]) == page_of(expected[::-1])


def test_few_of_many_records_have_texts() -> None:
    answers = [
        an_enriched(verdict=Verdict.LOW_GROUNDED, min_claim_score=number / 1_000)
        for number in range(1_000)
    ]
    assert sum(bool(row.answer_text) for row in counted(answers, TextMode.FULL)) == 20
    counts = CountedRows(EnrichedFiles(TextMode.FULL))
    for _ in range(2):
        counts.start()
        assert sum(b"Lamps glow" in counts.encode(answer) for answer in answers[::-1]) == 1_000
