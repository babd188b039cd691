"""Which revision of a checker gave the scores, for every kind of checker."""

import hashlib
from math import inf
from pathlib import Path

import msgspec
import pytest

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.transforms.check_one import enrich_one
from groundwatch.transforms.grounding.settings import DISCOVERY_ENGINE, CheckSettings
from groundwatch.transforms.grounding.stored_reply import decode_reply
from groundwatch.transforms.lexical.check_claims import REVISION, check_grounding
from groundwatch.transforms.rules.limits import CheckLimits
from tests.support.builders import an_answer
from tests.support.checks import check_request
from tests.support.entailment_models import write_model
from tests.support.fault_server import FaultServer, in_turn
from tests.support.wire_faults import Fault, body


def revision_of(settings: CheckSettings, *facts: str) -> str | None:
    checked = enrich_one(CheckedAnswer(answer=an_answer("Lamps glow.", *facts)), settings).check
    assert checked
    return checked.revision


@pytest.mark.parametrize("settings", [{}, {"requests_per_minute": 600.0}])
def test_the_embedded_checker_has_a_revision_of_its_rules(settings: dict[str, float]) -> None:
    assert revision_of(CheckSettings(**settings)) == REVISION


@pytest.mark.parametrize(
    ("weight", "rules"), [(1.0, f"{REVISION}+"), (0.5, f"{REVISION}+0.5*"), (inf, "")]
)
def test_a_model_has_the_digest_of_its_file_beside_the_rules_and_its_weight(
    tmp_path: Path, weight: float, rules: str
) -> None:
    folder = write_model(tmp_path)
    digest = hashlib.sha256(Path(folder, "model.onnx").read_bytes()).hexdigest()[:12]
    revision = revision_of(CheckSettings(scorer=folder, scorer_weight=weight))
    assert revision == f"{rules}{digest}"


def test_a_model_without_weight_is_the_embedded_checker_alone(tmp_path: Path) -> None:
    settings = CheckSettings(scorer=write_model(tmp_path), scorer_weight=0.0)
    assert revision_of(settings) == REVISION


def said(*headers: str) -> Fault:
    return body(lambda good: good, *headers)


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([said("X-Checker-Revision: r7", "Server: nginx")], "r7"),
        ([said("Server: ours/2.1", "Date: today")], "ours/2.1"),
        ([said()], None),
        ([said("X-Checker-Revision: " + "r" * 999)], "r" * 200),
        ([said("X-Checker-Revision: r7"), said("X-Checker-Revision: r8")], "r7, r8"),
        ([said("X-Checker-Revision: r7"), said("X-Checker-Revision: r7")], "r7"),
    ],
)
def test_a_server_states_its_revision_in_a_header(replies: list[Fault], expected: str) -> None:
    with FaultServer(in_turn(*replies)) as server:
        settings = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            limits=CheckLimits(max_facts=1),
            max_in_flight=1,
        )
        facts = ("Lamps glow red.", "Lamps hang.")[: len(replies)]
        assert revision_of(settings, *facts) == expected


def test_googles_service_has_the_version_of_its_api_and_its_configuration() -> None:
    with FaultServer(in_turn(said("Server: ESF"))) as server:
        settings = CheckSettings(checker=DISCOVERY_ENGINE, endpoint=server.address)
        assert revision_of(settings) == f"v1beta {settings.grounding_config}"


def test_a_stored_reply_keeps_its_revision(tmp_path: Path) -> None:
    with FaultServer(in_turn(said("X-Checker-Revision: r7"))) as server:
        store = str(tmp_path / "replies.sqlite")
        settings = CheckSettings(checker=server.address, endpoint=server.address, reply_store=store)
        assert [revision_of(settings) for _ in range(2)] == ["r7", "r7"]
        assert server.requests == 1


def test_a_reply_that_an_earlier_version_stored_has_none() -> None:
    request = check_request("Lamps glow.", "Lamps glow.")
    stored = msgspec.msgpack.encode((2, check_grounding(request)))
    found = decode_reply(stored, request)
    assert (found.attempts, found.revision) == (2, None)
