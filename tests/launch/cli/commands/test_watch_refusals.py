"""`groundwatch watch` where something is wrong before or while it works: a sentence each."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.paths import default_work_folder
from groundwatch.launch.engine.engine_database import folder_held
from groundwatch.launch.engine.run_summary import summary_of
from groundwatch.launch.watch import run_worker as start_worker
from groundwatch.pipeline.settings.config import Config, Destination
from groundwatch.schemas.summary import RunCounts, Summary
from groundwatch.transforms.grounding import refusals
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.watched import SUBSCRIPTION, Watched
from tests.support.wire_faults import status

TOPICS = ("alert", "failure", "enriched")


@pytest.fixture(autouse=True)
def _quick_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a checker that refuses every call end the worker after a second."""
    monkeypatch.setattr(refusals, "_FIRST_SUCCESS_WITHIN_S", 1.0)


def watch(watched: Watched, *flags: str) -> int:
    """Run the command in this process; returns its exit status."""
    places = ["--subscription", SUBSCRIPTION, "--output", str(watched.output)]
    return main(["watch", *places, "--pubsub_address", watched.server.address, *flags])


def summarize(read: int) -> Callable[..., Summary]:
    """A worker that has read so many messages, and checked one."""

    def run(config: Config, *_: object, **__: object) -> Summary:
        rows = {"enriched": 1, "failures": 0, "alerts": 0}
        counts = RunCounts(read=read, verdicts={"GROUNDED": 1})
        return summary_of(config, counts, rows, started_at_us=0)

    return run


def test_all_topics_that_do_not_exist_are_named(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = {f"--{kind}_topic": f"projects/p/topics/{kind}" for kind in TOPICS}
    assert watch(watched, *(part for flag in missing.items() for part in flag)) == 2
    said = capsys.readouterr().err
    assert all(f"{flag}: cannot publish to {topic}" in said for flag, topic in missing.items())
    assert not watched.output.exists()


def test_a_second_worker_on_the_same_output_is_refused(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(watched.output / "work")
    with folder_held(folder):
        assert watch(watched, "--work_folder", folder) == 1
    assert f"another run or worker is active, and holds {folder}: wait" in capsys.readouterr().err


def test_the_work_of_another_run_is_not_mixed_with_this_ones(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(watched.output / "work")
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        watched.publish(an_envelope(1))
        shared = ["--work_folder", folder, "--checker", checker.address]
        assert watch(watched, "--run_id", "r1", *shared) == 1
        assert watch(watched, "--run_id", "r2", *shared) == 1
    assert "belongs to the run 'r1', and this is 'r2'" in capsys.readouterr().err


def test_a_refusal_of_the_checker_ends_the_watch_with_a_sentence(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        assert watch(watched, "--checker", checker.address) == 1
    told = capsys.readouterr().err
    assert "the worker failed: " in told
    assert "403" in told
    assert "Lamps" not in told
    assert watched.outstanding == 5


def test_a_subscription_that_is_not_there_ends_the_watch_with_a_sentence(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ["--subscription", "projects/lamps/subscriptions/missing"]
    assert watch(watched, *missing) == 2
    told = capsys.readouterr().err
    name = f"projects/lamps/subscriptions/missing at {watched.server.address}"
    assert f"cannot pull from {name}: it does not exist; create it" in told


def test_a_checker_that_is_not_there_is_reported_at_the_start(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start_worker, "run_worker", summarize(read=1))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert watch(watched, "--checker", address) == 0
    told = capsys.readouterr().err
    assert f"cannot connect to {address} (connection refused): start the checker" in told
    assert "messages wait until it replies" in told


def test_counts_that_do_not_close_are_a_failure(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start_worker, "run_worker", summarize(read=2))
    assert watch(watched) == 1
    assert "the counts do not add up: 2 messages were read" in capsys.readouterr().err


def test_a_second_demo_on_the_same_output_is_refused_and_takes_nothing_from_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = default_work_folder(Destination(root=str(tmp_path), run="watch-demo"))
    published = tmp_path / "enriched" / "event_date=2026-03-02" / "watch-demo-000001.avro"
    published.parent.mkdir(parents=True)
    published.touch()
    with folder_held(folder):
        before = sorted(tmp_path.rglob("*"))
        assert main(["watch", "--demo", "--output", str(tmp_path)]) == 1
        assert sorted(tmp_path.rglob("*")) == before
    [line] = capsys.readouterr().err.splitlines()
    failed = "groundwatch: the demo failed: another run or worker is active, and holds"
    assert line.startswith(f"{failed} {folder}: wait until it has ended")


def test_the_run_is_named_after_the_subscription_wherever_it_is_started(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        watched.publish(an_envelope(1))
        for folder in ("here", "there"):
            (tmp_path / folder).mkdir()
            monkeypatch.chdir(tmp_path / folder)
            watch(watched, "--checker", checker.address)
    assert len(list(watched.output.glob(".groundwatch-*"))) == 1
