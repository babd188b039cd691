"""The table of reasons, and the order in which they count."""

from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.enums import (
    ANSWER_SKIPPED_REASONS,
    ASSIST_SKIPPED_REASONS,
    SUMMARY_SKIPPED_REASONS,
)
from groundwatch.transforms.rules.routing import PRECEDENCE, SKIP_REASON_VERDICTS


def test_every_verdict_but_the_checks_good_one_has_its_place_in_the_order() -> None:
    assert {*PRECEDENCE, Verdict.GROUNDED} == set(Verdict)
    assert len(PRECEDENCE) == len(set(PRECEDENCE))


def test_every_skip_reason_that_the_service_defines_is_in_the_table() -> None:
    reasons = {*ANSWER_SKIPPED_REASONS, *ASSIST_SKIPPED_REASONS, *SUMMARY_SKIPPED_REASONS}
    defined = {name for name in reasons if not name.endswith("_UNSPECIFIED")}
    assert set(SKIP_REASON_VERDICTS) == defined | {"ELIDED"}
