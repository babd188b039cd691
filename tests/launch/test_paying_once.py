"""A run that is killed, and the same command again: only what was in flight is paid for twice."""

import json
import re
import signal
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.grounding.protocol import CheckReply
from groundwatch.transforms.grounding.reply_cache import ReplyStore
from groundwatch.transforms.grounding.stored_reply import encode_reply
from tests.support.archives import an_envelope
from tests.support.commands import GROUNDWATCH, HEED_INTERRUPTS, start
from tests.support.fault_server import FaultServer, always
from tests.support.limits import LIMITED
from tests.support.outputs import records_in, summary_in
from tests.support.runs import an_archive, backfill
from tests.support.waiting import wait_until
from tests.support.wire_faults import after, hang

_ANSWERS = 300
_IN_FLIGHT = 8
_TIMEOUT_S = 120.0


def test_an_interrupted_run_pays_for_nothing_again(tmp_path: Path) -> None:
    lines = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(_ANSWERS)]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    with FaultServer(always(after(0.05))) as server:
        flags = "--checker", server.address, "--max_in_flight", str(_IN_FLIGHT)
        places = "--input", str(archive), "--output", str(output)
        given = *LIMITED, "segment_messages=20", "--", "backfill", *places, *flags
        with start(*given, prepare=HEED_INTERRUPTS) as process:
            wait_until(lambda: server.requests >= _ANSWERS // 3, _TIMEOUT_S)
            process.send_signal(signal.SIGINT)
            _, screen = process.communicate(timeout=_TIMEOUT_S)
        assert process.returncode == 1
        told = re.fullmatch(
            r"groundwatch: ending when the calls in flight have ended; interrupt again to end now\n"
            rf"groundwatch: the run failed: interrupted: (\d+) of {_ANSWERS} messages are done;"
            r" give the same command again to finish it\n",
            screen,
        )
        assert told
        assert 0 < int(told[1]) < _ANSWERS
        assert server.requests < _ANSWERS
        assert records_in(output) == []
        assert summary_in(output)["unfinished"] is True
        assert backfill(archive, output, *flags) == 0
        assert server.requests == summary_in(output)["calls"] == _ANSWERS
    assert [record["check"]["calls"] for record in records_in(output)] == [1] * _ANSWERS


def test_a_second_interrupt_does_not_wait_for_the_calls_in_flight(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1)), tmp_path / "out"
    with FaultServer(always(hang)) as server:
        places = "--input", str(archive), "--output", str(output), "--checker", server.address
        given = *GROUNDWATCH, "backfill", *places, "--timeout_s", "300"
        with start(*given, prepare=HEED_INTERRUPTS) as process:
            wait_until(lambda: server.requests >= 1, _TIMEOUT_S)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "interrupt again to end now" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, screen = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "interrupted; give the same command again to finish it" in screen
    assert backfill(archive, output) == 0
    assert len(records_in(output)) == 1


def test_another_checker_is_paid_only_when_its_results_may_replace_the_others(
    tmp_path: Path,
) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1)), tmp_path / "out"
    with FaultServer() as first, FaultServer() as second:
        assert backfill(archive, output, "--checker", first.address) == 0
        assert backfill(archive, output, "--checker", second.address) == 2
        assert (first.requests, second.requests) == (1, 0)
        assert backfill(archive, output, "--checker", second.address, "--again") == 0
        assert (first.requests, second.requests) == (1, 1)
    assert len(records_in(output)) == 1


PATH = "/v1beta/projects/-/locations/global/groundingConfigs/default_grounding_config:check"
QUESTIONS = ("Do lamps glow?", "Which?", "")


REPLY = CheckReply(response=CheckResponse(support_score=0.9), attempts=1)


def of_2_0_0(reply: CheckReply) -> bytes:
    """Encode a reply as 2.0.0 did, without the checker's revision."""
    return msgspec.msgpack.encode(msgspec.msgpack.decode(encode_reply(reply))[:2])


JSON = '{"about": "lamps", "text": "Lamps glow."}'
STORED = {
    "2.0.0": ("Lamps glow.", of_2_0_0, 0),
    "2.0.0, of a fact that is JSON": (JSON, of_2_0_0, 0),
    # It is the reply to the answer without a question alone, whose facts are read as now.
    "this release": ("Lamps glow.", encode_reply, 2),
    "this release, of a fact that is JSON": (JSON, encode_reply, 3),
}


@pytest.mark.parametrize("name", STORED)
def test_a_reply_without_the_question_counts_where_2_0_0_paid_for_it(
    tmp_path: Path, name: str
) -> None:
    (fact, encode, paid), work = STORED[name], tmp_path / "work"
    lines = [
        an_envelope(number, answer="Lamps glow.", query=query, facts=[fact])
        for number, query in enumerate(QUESTIONS)
    ]
    # As 2.0.0 wrote the body of its requests.
    body = {
        "answerCandidate": "Lamps glow.",
        "facts": [{"factText": fact}],
        "groundingSpec": {"citationThreshold": 0.6, "enableClaimLevelScore": True},
    }
    encoded = json.dumps(body, separators=(",", ":")).encode()
    with FaultServer() as server:
        key = sha256(f"{server.address}{PATH}\0".encode() + encoded).digest()
        EngineDatabase.owned(str(work)).close()
        with closing(ReplyStore(str(work / DATABASE))) as store:
            store.put(key, encode(REPLY), 0)
        given = "--checker", server.address, "--work_folder", str(work)
        assert backfill(an_archive(tmp_path, *lines), tmp_path / "out", *given) == 0
        assert server.requests == paid
    calls = [record["check"]["calls"] for record in records_in(tmp_path / "out")]
    # A reply that was paid for earlier is counted once.
    assert sum(calls) == paid + (paid < len(QUESTIONS))
