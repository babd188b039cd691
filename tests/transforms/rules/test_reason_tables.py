"""The table of reasons, and the order in which they count."""

import pytest

from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.enums import (
    ANSWER_SKIPPED_REASONS,
    ASSIST_SKIPPED_REASONS,
    SUMMARY_SKIPPED_REASONS,
)
from groundwatch.transforms.rules.routing import (
    POLICY_FINISH_REASONS,
    PRECEDENCE,
    SKIP_REASON_VERDICTS,
    STATE_VERDICTS,
)


def test_every_verdict_but_the_checks_good_one_has_its_place_in_the_order() -> None:
    assert {*PRECEDENCE, Verdict.GROUNDED} == set(Verdict)
    assert len(PRECEDENCE) == len(set(PRECEDENCE))


def test_every_skip_reason_that_the_service_defines_is_in_the_table() -> None:
    reasons = {*ANSWER_SKIPPED_REASONS, *ASSIST_SKIPPED_REASONS, *SUMMARY_SKIPPED_REASONS}
    defined = {name for name in reasons if not name.endswith("_UNSPECIFIED")}
    assert set(SKIP_REASON_VERDICTS) == defined | {"ELIDED"}


@pytest.mark.parametrize("table", [STATE_VERDICTS, SKIP_REASON_VERDICTS])
def test_no_table_can_be_changed_by_a_run(table: dict[str, Verdict]) -> None:
    with pytest.raises(TypeError):
        table["FAILED"] = Verdict.GROUNDED


def test_no_finish_reason_is_both_ordinary_and_policy() -> None:
    assert POLICY_FINISH_REASONS.isdisjoint({"STOP", "MAX_TOKENS"})
