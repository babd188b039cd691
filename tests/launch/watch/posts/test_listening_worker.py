"""A worker that receives by HTTP, as a process: kills, exporters, drains, and both sources."""

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.samples import sample_paths
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.commands import GROUNDWATCH, start
from tests.support.documented_commands import read_page
from tests.support.listening import Listening, is_waiting_in
from tests.support.outputs import alerts_in, failures_in, record_ids_in, records_in, summary_in
from tests.support.posting import chat_span, exported, retrieval_span
from tests.support.repository import ROOT
from tests.support.waiting import wait_until
from tests.support.watched import SUBSCRIPTION, Watched

MESSAGES = 300
KILLS = 3


def test_answers_become_records_alerts_and_failures(tmp_path: Path) -> None:
    output = tmp_path / "out"
    with Listening(output) as worker:
        assert worker.post("/answers", an_envelope(1) + b"\n" + an_unsupported_envelope(2)) == 202
        assert worker.post("/answers", b"no answer") == 202
        exported(worker.address, retrieval_span(), chat_span("Lamps glow green in winter."))
        wait_until(lambda: worker.accounts["read"] == 4)
        log = worker.end()
    assert len(records_in(output)) == 3
    assert len(alerts_in(output)) == 2
    assert len(failures_in(output)) == 1
    assert summary_in(output)["read"] == 4
    assert "Lamps" not in log


def test_the_curl_of_the_readme_leads_to_an_alert(tmp_path: Path) -> None:
    # curl itself is not on every machine.
    commands = [each.words for each in read_page(ROOT / "README.md").commands]
    sample, wrong = (words[-1] for words in commands if words[0] == "curl")
    assert ["groundwatch", "watch", "--listen", "8090", "--output", "out/local"] in commands
    output = tmp_path / "out"
    bodies = [Path(sample_paths()[0]).read_bytes(), wrong.encode()]
    assert sample == "@answers.jsonl"
    with Listening(output) as worker:
        assert [worker.post("/answers", body) for body in bodies] == [202, 202]
        wait_until(lambda: worker.accounts["read"] == bodies[0].count(b"\n") + 1)
        worker.end()
    assert [each for each in alerts_in(output) if each["verdict_reason"] == "CONTRADICTION"]


def test_no_post_is_lost_or_doubled_over_kills_and_repeated_posts(tmp_path: Path) -> None:
    output = tmp_path / "out"
    todo = [*range(MESSAGES), *range(0, MESSAGES, 10)]
    for round_number in range(KILLS + 1):
        with Listening(output) as worker, ThreadPoolExecutor(8) as threads:
            share = len(todo) if round_number == KILLS else len(todo) // 2
            sent = threads.map(
                lambda number, at=worker: at.post("/answers", an_envelope(number)), todo[:share]
            )
            if round_number < KILLS:
                # In the middle: some posts have their reply, some are under way.
                first = [next(sent) for _ in range(share // 2)]
                worker.process.kill()
                statuses = [*first, *sent]
            else:
                statuses = [*sent]
                assert {*statuses} == {202}
                wait_until(lambda: not is_waiting_in(output))
                worker.end()
            todo = [
                *(n for n, status in zip(todo, statuses, strict=False) if status != 202),
                *todo[share:],
            ]
    ids = record_ids_in(output)
    assert len(ids) == len({*ids}) == MESSAGES
    assert main(["verify", str(output)]) == 0


def test_what_was_received_is_processed_by_a_worker_that_does_not_listen(
    tmp_path: Path, watched: Watched
) -> None:
    output = tmp_path / "out"
    trace = exported_then_killed(output)
    flags = ["--output", str(output), "--run_id", "posts", "--subscription", SUBSCRIPTION]
    watched.publish(an_envelope(5))
    with start(*GROUNDWATCH, "watch", *flags, "--pubsub_address", watched.server.address) as later:
        wait_until(lambda: watched.outstanding == 0 and not is_waiting_in(output))
        later.send_signal(signal.SIGTERM)
        later.communicate(timeout=120)
    assert {record["trace_id"] for record in records_in(output)} == {trace, None}


def test_a_worker_that_ends_says_what_it_has_received_and_not_processed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    with Listening(output, "--checker", "http://localhost:9") as worker:
        assert worker.post("/answers", an_envelope(1) + b"\n" + an_envelope(2)) == 202
        log = worker.end(expected=3)
    assert "2 messages not processed" in log
    assert "messages 2; start the worker again with this folder" in log
    assert main(["verify", str(output)]) == 0
    [folder] = output.glob(".groundwatch-*")
    assert (
        f"2 messages received by HTTP, and not processed yet, in {folder}"
        in capsys.readouterr().out
    )
    with Listening(output) as worker:
        wait_until(lambda: worker.accounts["read"] == 2)
        worker.end()
    assert len(record_ids_in(output)) == 2


def exported_then_killed(output: Path) -> str:
    with Listening(output) as worker:
        trace = exported(worker.address, chat_span())
        worker.process.kill()
    return trace
