"""Limits of calls and cost: they count what was sent, over all tries of a run."""

from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from tests.support import wire_faults
from tests.support.archives import an_envelope, lines_of
from tests.support.commands import GROUNDWATCH, start
from tests.support.fault_server import FaultServer, always, in_turn
from tests.support.limits import limited
from tests.support.outputs import records_in, summary_in
from tests.support.runs import an_archive, backfill
from tests.support.waiting import wait_until
from tests.support.wire_faults import after

_ANSWERS = 40
_TIMEOUT_S = 120.0


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    lines = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(_ANSWERS)]
    return an_archive(tmp_path, *lines)


def characters(answers: int) -> int:
    """Of the first answers, each with its one fact."""
    fact = len("Lamps glow red at night.")
    return sum(len(f"Lamp {number} glows.") + fact for number in range(answers))


@limited(segment_messages=4)
def test_requests_that_time_out_count_against_the_limit(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    with FaultServer(always(wire_faults.hang)) as server:
        flags = "--checker", server.address, "--timeout_s", "0.3", "--max_attempts", "2"
        assert backfill(archive, output, *flags, "--max_calls", "5") == 3
        assert server.requests == 5
    summary = summary_in(output)
    assert (summary["calls"], summary["closes"]) == (5, True)
    assert summary["deferred"] > 0


def test_each_attempt_of_a_failed_check_is_a_call_that_costs(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, an_envelope(1), an_envelope(2, answer="Kettles vote."))
    with FaultServer(always(wire_faults.UNAVAILABLE["503"])) as server:
        flags = "--checker", server.address, "--max_attempts", "3", "--price_per_1k_chars", "1000"
        assert backfill(archive, tmp_path / "out", *flags) == 3
        assert server.requests == 6
    summary = summary_in(tmp_path / "out")
    assert (summary["calls"], summary["retries"]) == (6, 4)
    fact = "Lamps glow red at night."
    sent = 3 * len(fact + fact + fact + "Kettles vote.")
    assert (summary["characters"], summary["cost"]) == (sent, sent)


def test_a_repeated_request_counts_in_the_record_as_in_the_summary(
    tmp_path: Path, archive: Path
) -> None:
    with FaultServer(in_turn(*[wire_faults.UNAVAILABLE["503"]] * 3)) as server:
        assert backfill(archive, tmp_path / "out", "--checker", server.address) == 0
        summary = summary_in(tmp_path / "out")
        assert summary["calls"] == server.requests == _ANSWERS + 3
    checks = [record["check"] for record in records_in(tmp_path / "out")]
    for name in ("calls", "characters"):
        assert sum(check[name] for check in checks) == summary[name]
    assert summary["retries"] == 3


def test_a_request_that_never_left_costs_nothing(tmp_path: Path, archive: Path) -> None:
    # One at a time: a request that is about to leave is counted until it turns out that it cannot.
    flags = "--max_attempts", "1", "--max_calls", "3", "--max_in_flight", "1"
    with ThreadingTCPServer(("127.0.0.1", 0), BaseRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()  # It closes each connection.
        address = f"https://127.0.0.1:{server.server_address[1]}"
        status = backfill(archive, tmp_path / "out", "--checker", address, *flags)
        server.shutdown()
    assert status == 3
    summary = summary_in(tmp_path / "out")
    assert (summary["calls"], summary["characters"], summary["deferred"]) == (0, 0, 0)
    assert summary["retryable_failures"] == _ANSWERS


def test_paid_replies_and_what_they_took_outlive_a_change_of_flags_and_input(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--checker", server.address
        limit = "--max_calls", "15"
        assert backfill(archive, output, *flags, *limit) == 3
        assert backfill(archive, output, *flags, *limit, "--claim_threshold", "0.1") == 3
        with archive.open("ab") as stream:
            stream.write(lines_of(an_envelope(_ANSWERS, answer="Lamp 40 glows.")))
        assert backfill(archive, output, *flags, *limit) == 3
        assert server.requests == 15
        summary = summary_in(output)
        assert (summary["enriched"], summary["deferred"], summary["calls"]) == (15, 26, 15)
        # The replies of this checker stay cached after a run with another one.
        assert backfill(archive, output, "--checker", "local", *limit) == 3
        assert server.requests == 15
        assert backfill(archive, output, *flags) == 0
        assert server.requests == _ANSWERS + 1
    summary = summary_in(output)
    assert summary["calls"] == _ANSWERS + 1
    assert sum(record["check"]["calls"] for record in records_in(output)) == _ANSWERS + 1
    assert list(output.glob(".groundwatch-*")) == []


def test_a_limit_of_cost_counts_over_a_change_of_flags(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    limit = "--price_per_1k_chars", "1000", "--max_cost", str(characters(10) + 1)
    with FaultServer() as server:
        flags = "--checker", server.address, "--max_in_flight", "1"
        for threshold in ("0.4", "0.1"):
            assert backfill(archive, output, *flags, *limit, "--claim_threshold", threshold) == 3
            assert server.requests == 10
            assert summary_in(output)["cost"] == characters(10)


def test_replies_are_paid_for_again_on_request_and_what_was_sent_still_counts(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--checker", server.address
        assert backfill(archive, output, *flags, "--max_calls", "10") == 3
        assert backfill(archive, output, *flags, "--max_calls", "10", "--forget_replies") == 3
        assert (server.requests, summary_in(output)["enriched"]) == (10, 0)
        assert backfill(archive, output, *flags, "--forget_replies") == 0
        assert server.requests == 10 + _ANSWERS
    assert summary_in(output)["calls"] == 10 + _ANSWERS


def test_a_kill_hides_no_call_from_the_limit(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    with FaultServer(always(after(0.05))) as server:
        flags = "--checker", server.address, "--max_calls", "30", "--max_in_flight", "4"
        places = "--input", str(archive), "--output", str(output)
        with start(*GROUNDWATCH, "backfill", *places, *flags) as process:
            wait_until(lambda: server.requests >= 8, _TIMEOUT_S)
            process.kill()
        assert backfill(archive, output, *flags) == 3
        # A request may be counted and not have left when the process is killed.
        assert 30 - 4 <= server.requests <= 30
    summary = summary_in(output)
    assert summary["calls"] == 30
    assert summary["enriched"] <= 30
