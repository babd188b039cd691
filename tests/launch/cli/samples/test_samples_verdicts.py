"""The bundled sample through reading, routing, checking and tagging, without a pipeline."""

import asyncio
from functools import cache

import pytest

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.message import Message, UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.grounding.check_session import check_answer
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.rules.routing import route
from groundwatch.transforms.rules.tagging import tag_answer
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.answer_messages import parse_answer
from tests.support.sample import DUPLICATE, FAILURE, sample_messages

SETTINGS = CheckSettings(checker="local")
BLIND_SPOTS = {
    "Pull its power lead briefly, then reconnect; your configuration survives": "LOW_GROUNDED",
    "Unsealed packaging never diminishes what gets reimbursed.": "LOW_GROUNDED",
    "To restart the Clamp, unplug it for 10 seconds.": "GROUNDED",
    "Guests can change schedules and see costs.": "GROUNDED",
}
"""Where a checker that compares words is wrong.

True answers in other words than the article's are flagged, and false ones in its words are not.
"""


async def enrich(message: Message, client: GroundingClient) -> EnrichedAnswer | str:
    try:
        answer = parse_answer(message)
    except UnreadableAnswer:
        return FAILURE
    decision = route(answer)
    if decision:
        return tag_answer(CheckedAnswer(answer=answer, decision=decision), Thresholds())
    return tag_answer(await check_answer(answer, client, SETTINGS), Thresholds())


async def enrich_all() -> list[EnrichedAnswer | str]:
    client = GroundingClient(SETTINGS)
    try:
        return [await enrich(each.message, client) for each in sample_messages()]
    finally:
        await client.aclose()


@cache
def outcomes() -> list[EnrichedAnswer | str]:
    return asyncio.run(enrich_all())


def records() -> list[EnrichedAnswer]:
    return [outcome for outcome in outcomes() if isinstance(outcome, EnrichedAnswer)]


def test_every_message_becomes_what_it_is_meant_to_become() -> None:
    seen: set[str] = set()
    surprises = []
    for outcome, each in zip(outcomes(), sample_messages(), strict=True):
        found = FAILURE
        if isinstance(outcome, EnrichedAnswer):
            found = DUPLICATE if outcome.record_id in seen else str(outcome.verdict)
            seen.add(outcome.record_id)
        if found != each.outcome:
            surprises.append((each.message.place, each.outcome, found))
    assert surprises == []


@pytest.mark.parametrize(("claim", "verdict"), BLIND_SPOTS.items())
def test_the_blind_spots_of_a_checker_that_compares_words_are_shown(
    claim: str, verdict: str
) -> None:
    assert {record.verdict for record in records() if claim in record.answer_text} == {verdict}


def test_formats_carriers_and_presets_are_read() -> None:
    assert {record.source_format for record in records()} == {
        "discoveryengine.answer",
        "discoveryengine.answer_query",
        "discoveryengine.stream_answer",
        "gemini.generate_answer",
        "gemini.candidate",
        "gemini.generate_content",
        "groundwatch.envelope",
        "langfuse.trace",
    }
    assert any(record.trace_id and record.span_id for record in records())


def test_every_tag_is_given_to_some_answer() -> None:
    # Only messages to a topic have the first, and only old records the next two. No answer of the
    # sample differs from its facts in a date alone, none is read by a field map or has reasoning.
    # There is no second checker.
    expected = set(Tag) - {Tag.FACTS_DROPPED, Tag.ANTONYM_MISMATCH, Tag.NAME_MISMATCH}
    expected -= {Tag.DATE_MISMATCH, Tag.SOURCE_WITHOUT_TEXT, Tag.REASONING_REMOVED}
    expected -= {Tag.AUDITED, Tag.ESCALATED, Tag.NOT_ESCALATED}
    assert {tag for record in records() for tag in record.tags} == expected


def test_every_reason_for_an_unscorable_answer_is_given() -> None:
    reasons = {r.verdict_reason for r in records() if r.verdict == "UNSCORABLE"}
    assert reasons == {"NO_TEXT", "NO_FACTS", "NO_CLAIMS", "OVER_LIMIT"}


def test_grounded_answers_stay_clear_of_the_thresholds() -> None:
    grounded = [r for r in records() if r.verdict == "GROUNDED"]
    assert min(record.min_claim_score or 1.0 for record in grounded) >= 0.45


def test_claims_cut_their_text_out_of_the_answer() -> None:
    for record in records():
        text = record.answer_text.encode()
        assert [text[c.start : c.end].decode() for c in record.claims] == [
            claim.text for claim in record.claims
        ]
