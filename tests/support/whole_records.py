"""Records of every kind, with all fields filled and with as few as possible."""

from groundwatch.schemas.alert import (
    Alert,
    AlertKind,
    NoDataIncident,
    OutageCause,
    RateIncident,
    Severity,
    WorstClaim,
)
from groundwatch.schemas.answer import Citation, Fact, GroundingSupport, SafetyRating
from groundwatch.schemas.checked_answer import Contradiction, VerdictThresholds
from groundwatch.schemas.verdict import Verdict
from tests.support.builders import (
    NOON_US,
    RECORD_ID,
    a_check,
    a_claim,
    a_failure,
    a_message,
    a_screen,
    an_enriched,
    an_outage,
)

ENRICHED = {
    "full": an_enriched(
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
            a_claim(score=0.0, citations=(0, 1), citation_starts=(0, 10_000), generator_score=0.9),
            a_claim(grounding_check_required=None),
        ),
        facts=(
            Fact(text="a"),
            Fact(text="b", uri="u", title="t", document="d", attributes={"page": "7"}),
        ),
        check=a_check(
            cached=True,
            unknown_members=('{"helpfulnessScore":0.5}',),
            revision="r7",
            thresholds=VerdictThresholds(low_grounded=0.6, claim=0.4),
        ),
        citation_precision=0.5,
        citation_recall=0.0,
        mismatches=(
            Contradiction(claim=0, kind="UNIT", claim_value="5 km", fact_value="5 miles", fact=1),
            Contradiction(claim=0, kind="NUMBER", claim_value="7"),
        ),
        generator_citations=(Citation(start=0, end=6, facts=(0,)), Citation(start=0, end=0)),
        generator_supports=(
            GroundingSupport(
                start=0, end=6, score=0.9, grounding_check_required=True, facts=(0, 1)
            ),
            GroundingSupport(start=0, end=6),
        ),
        trace_id="5b8efff798038103d269b633813fc60c",
        span_id="eee19b7ec3c1b174",
        response_id="r1",
        screen=a_screen(),
    ),
    "screened without a score": an_enriched(
        screen=a_screen(
            verdict=Verdict.UNSCORABLE,
            verdict_reason="NO_CLAIMS",
            support_score=None,
            min_claim_score=None,
            revision=None,
        )
    ),
    "bare": an_enriched(
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
    ),
    "before 1970": an_enriched(event_time_us=-1),
    "without a threshold": an_enriched(check=a_check(citation_threshold=None)),
}

ALERTS = {
    "an answer": Alert(
        kind=AlertKind.ANSWER,
        record_id=RECORD_ID,
        answer_name="a1",
        engine="shop",
        session="s1",
        verdict=Verdict.LOW_GROUNDED,
        verdict_reason="CLAIM_SCORE",
        tags=("SCORE_DRIFT",),
        support_score=0.0,
        min_claim_score=0.1,
        worst_claim=WorstClaim(start=0, end=1, score=0.1, text="é"),
        event_time_us=NOON_US,
        severity=Severity.CRITICAL,
        answer_text="é",
        trace_id="5b8efff798038103d269b633813fc60c",
        span_id="eee19b7ec3c1b174",
        response_id="r1",
        record_url="https://viewer.example/r/a",
    ),
    "a rate": Alert(
        kind=AlertKind.RATE,
        engine="shop",
        event_time_us=NOON_US,
        severity=Severity.INFO,
        rate=RateIncident(
            signal="failed",
            state="open",
            share=0.5,
            burn_rate=5.0,
            answers=10,
            opened_at_us=NOON_US,
            audited=6,  # as 2.1.0 wrote it
            revisions=("local words-1", "local words-2"),
        ),
    ),
    "an engine without data": Alert(
        kind=AlertKind.NO_DATA,
        engine="shop",
        event_time_us=NOON_US,
        severity=Severity.WARNING,
        no_data=NoDataIncident(
            state="open",
            answers_before=30,
            last_answer_at_us=NOON_US - 1_800_000_000,
            opened_at_us=NOON_US,
        ),
    ),
    "checker": Alert(
        kind=AlertKind.CHECKER,
        event_time_us=NOON_US,
        severity=Severity.CRITICAL,
        checker=an_outage(
            cause=OutageCause.CREDENTIALS, waiting=12, first_failed_at_us=NOON_US - 120_000_000
        ),
    ),
    "minimal": Alert(kind=AlertKind.NO_DATA, severity=Severity.WARNING),
}


FAILURES = {
    "unreadable": a_failure(),
    "check failed": a_failure(
        record_id=RECORD_ID,
        retryable=True,
        attempts=9,
        trace_id="5b8efff798038103d269b633813fc60c",
        span_id="eee19b7ec3c1b174",
        response_id="r1",
    ),
    "from Pub/Sub": a_failure(
        message=a_message(
            payload=b"\xff\x00", attributes={"id": "é"}, place="17", publish_time_us=NOON_US
        )
    ),
}
