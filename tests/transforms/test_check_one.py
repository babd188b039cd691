"""One answer checked without a pipeline."""

import subprocess
import sys

import pytest

from schemas.message import UnreadableAnswer
from schemas.verdict import Verdict
from tests.support import wire_faults
from tests.support.fault_server import FaultServer, always
from transforms import check
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import CheckSettings, RetrySettings
from transforms.rules.tagging import Thresholds

FACT = "The lamp has a warranty of two years."


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (FACT, Verdict.GROUNDED, "ABOVE_THRESHOLDS"),
        ("Kettles vote in Peru.", Verdict.LOW_GROUNDED, "CLAIM_SCORE"),
        ("", Verdict.UNSCORABLE, "NO_TEXT"),
    ],
)
def test_an_answer_gets_its_verdict(answer: str, verdict: Verdict, reason: str) -> None:
    record = check(answer, [FACT])
    assert (record.verdict, record.verdict_reason) == (verdict, reason)


def test_an_answer_without_facts_is_not_scored() -> None:
    assert check("Lamps glow.", []).verdict_reason == "NO_FACTS"


def test_facts_may_have_titles_and_addresses() -> None:
    record = check(FACT, [{"text": FACT, "title": "Warranty", "uri": "https://a.example/b"}])
    assert (record.facts[0].title, record.facts[0].uri) == ("Warranty", "https://a.example/b")


def test_thresholds_decide() -> None:
    strict = Thresholds(low_grounded=1.0, claim=1.0)
    assert check(FACT, [FACT], thresholds=strict).verdict is Verdict.LOW_GROUNDED


def test_equal_answers_have_equal_ids() -> None:
    assert check(FACT, [FACT]).record_id == check(FACT, [FACT]).record_id
    assert check(FACT, [FACT]).record_id != check(FACT, [FACT], query="How long?").record_id


def test_what_is_no_fact_is_refused() -> None:
    with pytest.raises(UnreadableAnswer, match="Expected"):
        check(FACT, [3])  # type: ignore[list-item]


def test_a_checker_that_refuses_is_an_error() -> None:
    with FaultServer(always(wire_faults.status(400, "INVALID_ARGUMENT"))) as server:
        settings = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            retries=RetrySettings(max_attempts=1),
        )
        with pytest.raises(CheckFailed):
            check(FACT, [FACT], settings=settings)


def test_a_check_imports_neither_beam_nor_googles_clients() -> None:
    script = (
        "import sys; from transforms import check; check('Lamps glow.', ['Lamps glow.']);"
        "heavy = {'apache_beam', 'grpc', 'google.auth.transport', 'google.cloud.storage'};"
        "sys.exit(str(sorted(heavy & set(sys.modules))))"
    )
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", script], capture_output=True, check=False, text=True
    )
    assert run.stderr == "[]\n"
