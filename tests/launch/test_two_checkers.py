"""Two checkers in one run: which answers the second one decides, in each way of running."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from google.oauth2.credentials import Credentials

from groundwatch import EscalationRule
from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings import checker as settings
from groundwatch.transforms.grounding import credentials
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, Screening
from tests.support import own_checkers
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.commands import GROUNDWATCH, start
from tests.support.entailment_models import write_model
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.fault_server import FaultServer, always
from tests.support.judgements import judgements
from tests.support.outputs import Json, records_in, summary_in
from tests.support.recorded_service import recorded_service
from tests.support.runs import an_archive, backfill
from tests.support.watched import Watched
from tests.support.wire_faults import status

SHARE = 0.3
SURE, UNSURE = 60, 20
LINES = [
    *(an_envelope(number, query=None) for number in range(SURE)),
    *(an_unsupported_envelope(number, query=None) for number in range(100, 100 + UNSURE)),
    an_envelope(200, facts=[]),
    b"no answer",
]
FLAGS = "--escalate_share", str(SHARE)


def by_tag(records: Iterable[Json]) -> dict[str, set[str]]:
    """The ids of the answers that the second checker decided, by why."""
    found: dict[str, set[str]] = {"ESCALATED": set(), "AUDITED": set(), "NOT_ESCALATED": set()}
    for record in records:
        for tag in found.keys() & {*record["tags"]}:
            found[tag].add(record["record_id"])
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What a backfill has the second checker decide."""
    folder = tmp_path_factory.mktemp("pair")
    with FaultServer() as server:
        flags = "--escalate", server.address, *FLAGS
        assert backfill(an_archive(folder, *LINES), folder / "out", *flags) == 0
        records, summary = records_in(folder / "out"), summary_in(folder / "out")
        found = by_tag(records)
        # Equal requests are paid for once: all escalated ones have one text, all audited ones too.
        assert server.requests == summary["calls"] == 2
    assert summary["closes"] is True
    decided = found["ESCALATED"] | found["AUDITED"]
    for record in records:
        if record["verdict"] == "UNSCORABLE":
            assert (record["check"], record["screen"]) == (None, None)
            continue
        assert record["screen"]["checker"] == "local+small"
        assert record["screen"]["audit_share"] == SHARE
        assert record["screen"]["escalate_below"] == 0.7
        is_second = record["record_id"] in decided
        assert record["check"]["checker"] == (server.address if is_second else "local+small")
    assert (len(found["ESCALATED"]), found["NOT_ESCALATED"]) == (UNSURE, set())
    assert 0 < len(found["AUDITED"]) < SURE
    return found


def test_a_worker_picks_what_a_backfill_picks(
    expected: dict[str, set[str]], tmp_path: Path
) -> None:
    with FakePubSub() as pubsub, FaultServer() as server:
        watched = Watched(pubsub, tmp_path)
        watched.publish(*LINES)
        first = CheckSettings(outage=OutagePolicy.HOLD)
        screen = Screening(first=first, rule=EscalationRule(share=SHARE))
        address = server.address
        watched.drain(watched.config(checker=address, endpoint=address, screen=screen))
        assert by_tag(records_in(watched.output)) == expected


def test_a_replay_picks_what_a_backfill_picks(
    expected: dict[str, set[str]], tmp_path: Path
) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    with FaultServer(always(status(503, "UNAVAILABLE"))) as server:
        flags = "--escalate", server.address, *FLAGS, "--max_attempts", "1"
        assert backfill(archive, output, *flags) == 3
    assert by_tag(records_in(output)) == by_tag([])
    assert len(records_in(output)) == SURE + 1 - len(expected["AUDITED"])
    with FaultServer() as server:
        flags = "--escalate", server.address, *FLAGS
        failures = f"{output}/failures/*.jsonl"
        assert main(["replay", "--failures", failures, "--output", str(output), *flags]) == 0
    assert by_tag(records_in(output)) == expected
    assert len(records_in(output)) == SURE + UNSURE + 1
    assert main(["verify", str(output)]) == 0


def test_the_summary_and_the_page_say_how_often_they_disagree(
    expected: dict[str, set[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, *FLAGS
        assert backfill(archive, output, *flags) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert re.search(r"of what the screen flags, grounded: 0 of \d+ ", printed)
    assert re.search(r"of what the screen passes, low-grounded: too few audited \(\d+\): ", printed)
    assert main(["report", str(output)]) == 0
    page = (output / "report.html").read_text()
    assert f'data-label="Audited">{len(expected["AUDITED"])}</td>' in page


def test_what_the_second_refuses_for_good_keeps_the_firsts_verdict(
    expected: dict[str, set[str]], tmp_path: Path
) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    with FaultServer(always(status(400, "INVALID_ARGUMENT"))) as server:
        assert backfill(archive, output, "--escalate", server.address, *FLAGS) == 0
    found = by_tag(records_in(output))
    assert found["NOT_ESCALATED"] == expected["ESCALATED"] | expected["AUDITED"]
    assert {record["verdict"] for record in records_in(output)} == {
        "GROUNDED",
        "LOW_GROUNDED",
        "UNSCORABLE",
    }


def test_one_answer_is_escalated_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with FaultServer() as server:
        given = ["--answer", "Kettles whistle.", "--fact", "Lamps glow.", "--json"]
        assert main(["check", *given, "--escalate", server.address]) == 4
        record = json.loads(capsys.readouterr().out)
        assert "ESCALATED" in record["tags"]
        assert record["screen"]["verdict"] == "LOW_GROUNDED"
        assert server.requests == 1


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Google's service, on this machine."""
    token = Credentials("token")
    monkeypatch.setattr(credentials, "find_credentials", lambda _: token)
    with FaultServer() as server:
        monkeypatch.setattr(settings, "endpoint", lambda _: server.address)
        yield ["discoveryengine", "--project", "p"]


@pytest.fixture
def model(tmp_path: Path) -> list[str]:
    """A model of the user's, which scores in the embedded checker."""
    return ["local", "--scorer", write_model(tmp_path / "both_red")]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A language model behind a server of the protocol."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with recorded_service() as api:
        api.reply_with(200, judgements({"claim": 0, "support": 0.9, "facts": [0]}))
        named = "--judge", f"{api.address}/v1", "--judge_model", "small", "--port", "0"
        with start(*GROUNDWATCH, "serve-checker", *named) as server:
            assert server.stdout is not None
            yield [server.stdout.readline().split()[-1]]


@pytest.mark.parametrize(
    ("second", "verdict"),
    [("service", "LOW_GROUNDED"), ("model", "GROUNDED"), ("judge", "GROUNDED")],
)
def test_each_kind_of_checker_can_be_the_second(
    second: str, verdict: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    flags = request.getfixturevalue(second)
    answer = an_envelope(0, answer="The red lamps last for years.", facts=["Kettles are red."])
    archive, output = an_archive(tmp_path, answer), tmp_path / "out"
    assert backfill(archive, output, "--escalate", *flags) == 0
    [record] = records_in(output)
    assert "ESCALATED" in record["tags"]
    first = "local" if second == "model" else "local+small"
    assert (record["screen"]["checker"], record["screen"]["verdict"]) == (first, "LOW_GROUNDED")
    named = "local+both_red" if second == "model" else flags[0]
    assert record["check"]["checker"] == named
    assert record["verdict"] == verdict
    assert summary_in(output)["calls"] == 1


def test_the_demo_has_a_second_checker_which_only_its_flags_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "demo"
    with FaultServer() as server:
        monkeypatch.setenv("GROUNDWATCH_ESCALATE", server.address)
        assert main(["demo", "--output", str(output)]) == 0
        assert server.requests == 0
        alone = records_in(output)
        given = "--escalate", server.address, *FLAGS
        assert main(["demo", "--output", str(output), *given]) == 0
        assert server.requests == summary_in(output)["calls"] > 0
    found = by_tag(records_in(output))
    low = {
        each["record_id"] for each in alone if each["verdict"] == "LOW_GROUNDED" and each["check"]
    }
    assert low
    assert low <= found["ESCALATED"]
    assert len(records_in(output)) == len(alone)
    for record in records_in(output):
        is_second = record["record_id"] in found["ESCALATED"] | found["AUDITED"]
        assert not record["screen"] or (record["check"]["checker"] == server.address) is is_second


def test_the_share_that_fails_a_report_is_of_the_second_checkers_verdicts(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    assert backfill(archive, output, "--fail_above", "0.05") == 4
    flags = "--escalate", f"{own_checkers.MODULE}:Lenient", *FLAGS, "--again"
    assert backfill(archive, output, *flags, "--fail_above", "0.05") == 0
    assert main(["report", str(output), "--fail_above", "0.05"]) == 0
