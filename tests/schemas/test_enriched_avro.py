"""Enriched records as rows of their schema, through a file and back."""

import io
from typing import Any

import fastavro
import fastavro.validation
import pytest

from schemas.answer import Fact, SafetyRating
from schemas.avro import load_schema
from schemas.enriched import EnrichedAnswer
from schemas.enriched_avro import enriched_to_avro
from schemas.verdict import Verdict
from tests.support.builders import NOON_US, a_check, a_claim, an_enriched

SCHEMA = load_schema("enriched_answer")

FULL = an_enriched(
    event_time_us=NOON_US + 1,
    answer_text="Olé! 日本 🙂",
    skip_reasons=("NO_RELEVANT_CONTENT", "47"),
    safety_ratings=(
        SafetyRating(),
        SafetyRating(
            category="HARASSMENT",
            probability="HIGH",
            severity="LOW",
            blocked=True,
            probability_score=0.9,
            severity_score=0.0,
        ),
    ),
    claims=(
        a_claim(score=0.0, citations=(0, 1), citation_starts=(0, 10_000)),
        a_claim(grounding_check_required=None),
    ),
    facts=(
        Fact(text="a"),
        Fact(text="b", uri="u", title="t", document="d", attributes={"page": "7"}),
    ),
    check=a_check(cached=True),
)
BARE = an_enriched(
    answer_name=None,
    engine=None,
    session=None,
    event_time_us=None,
    query=None,
    answer_text="",
    verdict=Verdict.UNSCORABLE,
    tags=(),
    support_score=None,
    min_claim_score=None,
    generator_grounding_score=None,
    score_drift=None,
    answerable_probability=None,
    claims=(),
    facts=(),
    check=None,
)
ENRICHED = {
    "full": FULL,
    "bare": BARE,
    "before 1970": an_enriched(event_time_us=-1),
    "without a threshold": an_enriched(check=a_check(citation_threshold=None)),
}


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard"])
@pytest.mark.parametrize("enriched", ENRICHED.values(), ids=ENRICHED)
def test_a_row_is_read_back_from_a_file_as_it_was_written(
    enriched: EnrichedAnswer, codec: str
) -> None:
    row = enriched_to_avro(enriched)
    assert fastavro.validation.validate(row, SCHEMA, strict=True)
    file = io.BytesIO()
    fastavro.writer(file, SCHEMA, [row], codec=codec)
    file.seek(0)
    (read,) = fastavro.reader(file)
    assert micros(read) == plain(row)


def micros(row: dict[str, Any]) -> dict[str, Any]:
    """A row as read, its times as microseconds again."""
    times = {"event_time": row["event_time"]}
    check = row["check"] and row["check"] | {"checked_at": in_micros(row["check"]["checked_at"])}
    return row | {name: in_micros(time) for name, time in times.items()} | {"check": check}


def in_micros(time: Any) -> int | None:
    return None if time is None else round(time.timestamp() * 1_000_000)


def plain(value: Any) -> Any:
    """A row with lists for tuples, as Avro gives them back."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list | tuple) else value
