"""Which records are worth an alert, and what the alert contains."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwatch.pipeline.sources.output_folder import read_answers
from groundwatch.schemas.alert import Severity, WorstClaim
from groundwatch.schemas.checked_answer import Screen, VerdictThresholds
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.alerting import AlertRule, grounding_result, select_alert
from tests.support.builders import a_check, a_claim, a_screen, an_enriched
from tests.support.reports import write_enriched

RULE = AlertRule()


@pytest.mark.parametrize("verdict", Verdict)
def test_low_grounded_and_policy_skipped_answers_alert_by_default(verdict: Verdict) -> None:
    alerts = select_alert(an_enriched(verdict=verdict), RULE) is not None
    assert alerts is (verdict in {Verdict.LOW_GROUNDED, Verdict.POLICY_SKIPPED})


@pytest.mark.parametrize("verdict", Verdict)
def test_the_verdicts_that_alert_can_be_chosen(verdict: Verdict) -> None:
    rule = AlertRule(verdicts=frozenset({Verdict.INCOMPLETE}))
    alerts = select_alert(an_enriched(verdict=verdict), rule) is not None
    assert alerts is (verdict is Verdict.INCOMPLETE)


TAGS = {
    "one of them": ((Tag.CITATION_MISMATCH, Tag.SCORE_DRIFT), True),
    "another": ((Tag.SCORE_DRIFT,), False),
    "none": ((), False),
}


@pytest.mark.parametrize(("tags", "alerts"), TAGS.values(), ids=TAGS)
def test_a_chosen_tag_alerts_whatever_the_verdict(tags: tuple[Tag, ...], alerts: bool) -> None:
    rule = AlertRule(tags=frozenset({Tag.CITATION_MISMATCH, Tag.TRUNCATED}))
    assert (select_alert(an_enriched(tags=tags), rule) is not None) is alerts


SEVERITIES = {
    "very low": (Verdict.LOW_GROUNDED, 0.29, Severity.CRITICAL),
    "at the line": (Verdict.LOW_GROUNDED, 0.3, Severity.WARNING),
    "low": (Verdict.LOW_GROUNDED, 0.5, Severity.WARNING),
    "by the generator's own word": (Verdict.LOW_GROUNDED, None, Severity.WARNING),
    "policy": (Verdict.POLICY_SKIPPED, None, Severity.INFO),
}


@pytest.mark.parametrize(("verdict", "score", "severity"), SEVERITIES.values(), ids=SEVERITIES)
def test_the_severity_follows_the_verdict_and_the_support_score(
    verdict: Verdict, score: float | None, severity: Severity
) -> None:
    alert = select_alert(an_enriched(verdict=verdict, support_score=score), RULE)
    assert alert is not None
    assert alert.severity is severity


CLAIMS = (
    a_claim("Unrequired.", 0, score=0.0, grounding_check_required=False),
    a_claim("Good.", 12, score=0.9),
    a_claim("Bad.", 18, score=0.1),
    a_claim("As bad.", 23, score=0.1),
    a_claim("Unscored.", 31),
)


def low_answer(**fields: Any) -> Any:
    return an_enriched(verdict=Verdict.LOW_GROUNDED, claims=CLAIMS, **fields)


def test_the_worst_claim_is_the_first_with_the_least_score_that_required_a_check() -> None:
    alert = select_alert(low_answer(), RULE)
    assert alert is not None
    assert alert.worst_claim == WorstClaim(start=18, end=22, score=0.1)


def test_without_a_scored_claim_the_worst_claim_is_none() -> None:
    alert = select_alert(an_enriched(verdict=Verdict.POLICY_SKIPPED, claims=()), RULE)
    assert alert is not None
    assert alert.worst_claim is None


def test_an_alert_says_what_the_record_says() -> None:
    enriched = low_answer()
    alert = select_alert(enriched, RULE)
    assert alert is not None
    assert alert.kind == "answer"
    same = ("record_id", "answer_name", "engine", "session", "verdict", "verdict_reason", "tags")
    same += ("support_score", "min_claim_score", "event_time_us")
    assert {name: getattr(alert, name) for name in same} == {
        name: getattr(enriched, name) for name in same
    }


def test_an_alert_holds_no_word_of_the_answer_unless_asked_for() -> None:
    secret = a_claim("SECRET words.", score=0.1)
    enriched = an_enriched(
        verdict=Verdict.LOW_GROUNDED, answer_text="SECRET words.", query="SECRET?", claims=(secret,)
    )
    assert b"SECRET" not in msgspec.json.encode(select_alert(enriched, RULE))
    alert = select_alert(enriched, AlertRule(with_text=True))
    assert alert is not None
    assert alert.worst_claim is not None
    assert (alert.answer_text, alert.worst_claim.text) == ("SECRET words.", "SECRET words.")


@pytest.mark.parametrize("screen", [None, a_screen()])
def test_a_result_says_who_decided_whether_it_is_of_a_worker_or_of_a_file(
    tmp_path: Path, screen: Screen | None
) -> None:
    thresholds = VerdictThresholds(low_grounded=0.6, claim=0.4)
    check = a_check(checker="judge", revision="m-1", thresholds=thresholds)
    answer = an_enriched(check=check, screen=screen)
    result = grounding_result(answer, with_text=False)
    decided = result.checker, result.revision, result.thresholds, result.screen
    assert decided == ("judge", "m-1", thresholds, screen)
    [row] = read_answers(str(write_enriched(tmp_path, [answer])))
    assert grounding_result(row, with_text=False) == result


def test_a_result_without_a_check_names_no_checker() -> None:
    result = grounding_result(an_enriched(check=None), with_text=False)
    assert (result.checker, result.revision, result.thresholds) == (None, None, None)
