"""Small records with sensible defaults, for tests that care about a field or two."""

from typing import Any

from groundwatch.schemas.alert import CheckerIncident, OutageCause
from groundwatch.schemas.answer import Answer, Fact
from groundwatch.schemas.checked_answer import Check, Claim, Screen
from groundwatch.schemas.cost_estimate import Estimate
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import CheckedClaim, CheckResponse, CitedChunk

RECORD_ID = "5f" * 32
NOON_US = 1_772_539_200_000_000
"""2026-03-03 12:00:00 UTC."""


def a_message(**fields: Any) -> Message:
    """A line of an archive."""
    return Message(**{"payload": b'{"answer": "Lamps glow."}', "place": "answers.jsonl#1"} | fields)


def a_failure(**fields: Any) -> Failure:
    """Build the failure of a message without an answer."""
    given = {
        "step": "ParseAnswers",
        "error_class": "UnreadableAnswer",
        "error": "The message is not JSON.",
        "retryable": False,
        "first_failed_at_us": NOON_US,
        "last_failed_at_us": NOON_US + 1,
        "message": a_message(),
    }
    return Failure(**given | fields)


def a_fact(text: str = "Lamps glow red.", **fields: Any) -> Fact:
    """A fact without a source."""
    return Fact(text=text, **fields)


def an_answer(text: str = "Lamps glow.", *facts: str, **fields: Any) -> Answer:
    """A finished answer of Discovery Engine, with one fact unless others are given."""
    given = {
        "message": a_message(),
        "record_id": RECORD_ID,
        "source_format": "discoveryengine.answer",
        "answer_text": text,
        "facts": tuple(a_fact(fact) for fact in facts) or (a_fact(),),
    }
    return Answer(**given | fields)


def a_claim(text: str = "Lamps glow.", start: int = 0, **fields: Any) -> Claim:
    """A claim that required a check, without a score; its end follows from its text."""
    end = start + len(text.encode())
    given = {"text": text, "start": start, "end": end, "grounding_check_required": True}
    return Claim(**given | fields)


def a_check(**fields: Any) -> Check:
    """A check by the embedded checker in one call."""
    given = {
        "checker": "local",
        "calls": 1,
        "attempts": 1,
        "characters": 26,
        "latency_ms": 2,
        "checked_at_us": NOON_US,
        "citation_threshold": 0.6,
    }
    return Check(**given | fields)


def a_screen(**fields: Any) -> Screen:
    """What the embedded checker found before another one: an answer that it passes."""
    given = {
        "checker": "local",
        "revision": "words-1",
        "verdict": Verdict.GROUNDED,
        "verdict_reason": "ABOVE_THRESHOLDS",
        "support_score": 0.9,
        "min_claim_score": 0.8,
        "characters": 26,
        "escalate_below": 0.7,
        "audit_share": 0.02,
    }
    return Screen(**given | fields)


def an_enriched(**fields: Any) -> EnrichedAnswer:
    """A grounded answer's record: every field filled, every list holding something."""
    given = {
        "record_id": RECORD_ID,
        "answer_name": "projects/1/locations/global/collections/c/engines/shop/answers/a1",
        "source_format": "discoveryengine.answer",
        "engine": "shop",
        "session": "s1",
        "event_time_us": NOON_US,
        "query": "Do lamps glow?",
        "answer_text": "Lamps glow.",
        "verdict": Verdict.GROUNDED,
        "verdict_reason": "ABOVE_THRESHOLDS",
        "tags": ("SCORE_DRIFT",),
        "support_score": 0.9,
        "min_claim_score": 0.8,
        "generator_grounding_score": 0.4,
        "score_drift": -0.5,
        "answerable_probability": 0.7,
        "skip_reasons": (),
        "safety_ratings": (),
        "claims": (a_claim(score=0.8, citations=(0,), citation_starts=(0,)),),
        "facts": (a_fact(),),
        "check": a_check(),
    }
    return EnrichedAnswer(**given | fields)


def an_estimate(**fields: Any) -> Estimate:
    """The estimate of a small archive, every field set."""
    given = {
        "run": "r1",
        "read": 10,
        "failures": 1,
        "damaged_archives": 0,
        "duplicates": 1,
        "sampled_out": 0,
        "decided": {"UNSCORABLE": 2},
        "checkers": "local",
        "to_check": 6,
        "planned_calls": 8,
        "calls": 7,
        "characters": 7_000,
        "cost": 0.7,
        "minutes_at_quota": 0.2,
        "minutes_without_quota": 0.1,
        "price_per_1k_chars": 0.1,
        "requests_per_minute": 30.0,
        "max_in_flight": 128,
        "workers": 1,
        "assumed_latency_ms": 500.0,
        "estimated_at_us": NOON_US,
    }
    return Estimate(**given | fields)


def a_reply(*claims: CheckedClaim, sources: str = "", **fields: Any) -> CheckResponse:
    """A reply with these claims; its cited chunks are the facts of these one-digit indices."""
    chunks = tuple(CitedChunk(chunk_text="abridged", source=source) for source in sources)
    return CheckResponse(**{"claims": claims, "cited_chunks": chunks} | fields)


def a_wire_claim(start: int, end: int, score: float | None = None, **fields: Any) -> CheckedClaim:
    """A claim as it stands in a reply, requiring a check if it has a score."""
    given = {"grounding_check_required": score is not None}
    return CheckedClaim(start_pos=start, end_pos=end, score=score, **given | fields)


def an_outage(**fields: Any) -> CheckerIncident:
    given = {
        "state": "open",
        "checker": "discoveryengine",
        "cause": OutageCause.QUOTA,
        "waiting": 3,
        "first_failed_at_us": NOON_US,
        "opened_at_us": NOON_US,
    }
    return CheckerIncident(**given | fields)
