"""What is read first."""

from typing import Any

import pytest

from launch.report.counting.seen import SeenSummary
from launch.report.counting.tally import Tally
from launch.report.page.headline import account, headline, notices
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict
from tests.support.builders import an_enriched
from tests.support.reports import a_low, row_of
from transforms.rules.tagging import Thresholds

GOOD = SeenSummary(enriched=1, closes=True)


def tally_of(
    *answers: EnrichedAnswer, labels: dict[str, bool] | None = None, claim: float = 0.4
) -> Tally:
    tally = Tally(Thresholds(claim=claim), labels or {})
    for answer in answers:
        tally.add_row(row_of(answer))
    return tally


@pytest.mark.parametrize(
    ("answers", "figure", "sentence"),
    [
        ([], None, "There are no enriched answers yet."),
        (
            [an_enriched(verdict=Verdict.INCOMPLETE)],
            None,
            "1 answer, and none of them could be judged.",
        ),
        (
            [an_enriched()],
            "0.0%",
            "The only judged answer is supported by the sources given.",
        ),
        (
            [an_enriched(), an_enriched()],
            "0.0%",
            "All 2 judged answers are supported by the sources given.",
        ),
        (
            [an_enriched(), a_low()],
            "50.0%",
            "1 of 2 judged answers is not supported by the sources given.",
        ),
        (
            [a_low(), a_low()],
            "100.0%",
            "2 of 2 judged answers are not supported by the sources given.",
        ),
    ],
    ids=["nothing", "nothing judged", "one good", "all good", "one bad", "all bad"],
)
def test_how_it_stands(answers: list[EnrichedAnswer], figure: str | None, sentence: str) -> None:
    found = headline(tally_of(*answers))
    assert (found.figure, found.sentence) == (figure, sentence)


def test_a_run_in_order_needs_no_notice() -> None:
    assert notices(tally_of(an_enriched()), GOOD, ()) == []


@pytest.mark.parametrize(
    ("tally", "summary", "unreadable", "words"),
    [
        ({}, None, (), "There is no summary.json"),
        ({}, SeenSummary(closes=False), (), "do not close"),
        ({}, SeenSummary(enriched=7, closes=True), (), "1 record; the last run wrote 7"),
        ({}, GOOD, ("a.avro: is damaged",), "a.avro: is damaged"),
        ({"claim": 0.85}, GOOD, (), "1 verdict came of other thresholds"),
        ({"labels": {"nobody": True}}, GOOD, (), "1 label of 1 met no scored answer"),
    ],
    ids=["no summary", "open counts", "several runs", "damage", "thresholds", "labels"],
)
def test_what_must_be_known_before_the_numbers_are_trusted(
    tally: dict[str, Any], summary: SeenSummary | None, unreadable: tuple[str, ...], words: str
) -> None:
    [notice] = notices(tally_of(an_enriched(), **tally), summary, unreadable)
    assert words in notice


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (None, None),
        (SeenSummary(closes=True), None),
        (
            SeenSummary(read=12, enriched=9, failures=1, duplicates=2, sampled_out=0),
            "The last run read 12 messages: 9 records, 1 failure, 2 duplicates.",
        ),
        (
            SeenSummary(read=9, enriched=4, failures=0, duplicates=0, sampled_out=5),
            "The last run read 9 messages: 4 records, 0 failures, 0 duplicates, 5 sampled out.",
        ),
    ],
    ids=["no summary", "a bare one", "a whole one", "a sampled one"],
)
def test_what_became_of_the_messages(summary: SeenSummary | None, told: str | None) -> None:
    assert account(summary) == told
