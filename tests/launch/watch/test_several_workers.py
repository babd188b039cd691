"""Several workers on one subscription and one output, which need no word of each other."""

import io
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

import fastavro
import pytest
from msgspec.structs import replace

from groundwatch.launch.cli.main import main
from groundwatch.launch.watch.worker import Worker
from groundwatch.pipeline.settings.checker import DATABASE
from tests.support.archives import an_envelope
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.fault_server import FaultServer, by_answer
from tests.support.file_systems import NO_SECOND_FILE_SYSTEM, other_file_system
from tests.support.outputs import failures_in, summary_in
from tests.support.storage_server import storage_server
from tests.support.waiting import wait_until
from tests.support.watched import SUBSCRIPTION, Watched, total, work
from tests.support.watching import WatchProcess
from tests.support.wire_faults import status

MOST_HELD = 40


def publish(watched: Watched, first: int, count: int) -> None:
    watched.publish(*map(an_envelope, range(first, first + count)))


def test_a_message_that_two_workers_get_may_be_there_twice_and_is_counted(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [str(watched.output.parent / name) for name in ("first", "second")]
    for first, folder in zip((0, 20), folders, strict=True):
        publish(watched, first, 30)
        watched.work_folder = folder
        watched.drain()
    ids = watched.record_ids()
    assert (len(ids), len(set(ids))) == (60, 50)
    assert main(["verify", str(watched.output), "--work_folder", *folders]) == 0
    assert "10 answers checked by two workers" in capsys.readouterr().out


def test_a_removed_database_takes_no_published_file_along(watched: Watched) -> None:
    publish(watched, 0, 30)
    watched.drain()
    public = set(watched.record_ids())
    for path in Path(watched.work_folder).glob(f"{DATABASE}*"):
        path.unlink()
    publish(watched, 30, 10)
    watched.drain()
    assert public < set(watched.record_ids())
    assert len(set(watched.record_ids())) == 40


def test_two_subscriptions_share_an_output_and_its_summary(watched: Watched) -> None:
    for run, count in (("r1", 3), ("r2", 4)):
        with watched.other_work_folder(run):
            publish(watched, 10 * count, count)
            with watched.worker(replace(watched.config(), run=run)) as worker:
                work(worker, lambda: not watched.outstanding)
                worker.finish()
    summary = summary_in(watched.output)
    assert (summary["read"], summary["enriched"]) == (7, 7)
    assert [run["read"] for run in summary["runs"]] == [3, 4]


def test_a_work_folder_on_another_file_system_publishes(watched: Watched) -> None:
    other = other_file_system(watched.output.parent)
    if other is None:
        pytest.skip(f"NO SECOND FILE SYSTEM: {NO_SECOND_FILE_SYSTEM}")
    with tempfile.TemporaryDirectory(dir=other) as folder:
        watched.work_folder = f"{folder}/work"
        publish(watched, 0, 10)
        watched.drain()
    assert len(set(watched.record_ids())) == 10


def end_leases_until_done(watched: Watched, clock: ManualClock) -> None:
    """Deliver what a killed worker held to others, until all is acknowledged.

    Once is not enough: the server may still write to a stream whose client was just killed.
    """
    for _ in range(12):
        clock.advance(61)
        with suppress(AssertionError):
            return wait_until(lambda: not watched.outstanding, 5.0)
    raise AssertionError(f"{watched.outstanding} messages are still outstanding")


def test_live_workers_share_a_subscription_and_an_output(
    own_server: FakePubSub, watched: Watched, clock: ManualClock, tmp_path: Path
) -> None:
    with ExitStack() as running:

        def start(name: str) -> WatchProcess:
            """Start a worker with a work folder of its own, and wait until it keeps a database."""
            folder = tmp_path / name
            flags = "--file_age_s", "0.2", "--work_folder", str(folder)
            limits = "batch_messages=20", f"outstanding_messages={MOST_HELD}"
            worker = WatchProcess(
                own_server.address, SUBSCRIPTION, watched.output, *flags, limits=limits
            )
            running.enter_context(worker).wait_for((folder / DATABASE).exists)
            return worker

        killed, other = start("killed"), start("other")
        for first in range(0, 300, 60):
            publish(watched, first, 60)
            wait_until(lambda: watched.outstanding < 60, 60.0)
        killed.kill()
        end_leases_until_done(watched, clock)
        # One joins with an empty work folder, and both leave.
        joined = start("joined")
        publish(watched, 300, 60)
        wait_until(lambda: not watched.outstanding, 60.0)
        for worker in (other, joined):
            assert worker.end()[0] == 0
        # The killed one comes back, and publishes what it had not published.
        returned = start("killed")
        publish(watched, 360, 1)
        wait_until(lambda: not watched.outstanding, 60.0)
        assert returned.end()[0] == 0
    ids = watched.record_ids()
    assert len(set(ids)) == 361
    # What the killed one had committed and not acknowledged may be there twice.
    assert len(ids) <= 361 + MOST_HELD
    summary = summary_in(watched.output)
    assert (summary["enriched"], summary["failures"], summary["closes"]) == (len(ids), 0, True)
    assert len(summary["runs"]) == 3


def test_an_answer_that_fails_at_several_workers_is_a_failure_of_each(watched: Watched) -> None:
    refused = "Lamps glow blue at noon."
    folders = ["first", "second"]
    with FaultServer(by_answer({refused: status(400, "INVALID_ARGUMENT")})) as checker:
        address = checker.address
        for name in folders:
            with watched.other_work_folder(name):
                config = watched.config(checker=address, endpoint=address)
                with watched.worker(config) as worker:
                    # The first publication is due at once, the next one after a while.
                    worker.step()
                    watched.publish(an_envelope(1), an_envelope(2, answer=refused))
                    work(worker, lambda: not watched.outstanding)
        assert not failures_in(watched.output)
        for name in folders:
            with watched.other_work_folder(name):
                config = watched.config(checker=address, endpoint=address)
                with watched.worker(config) as worker:
                    worker.finish()
    assert len(set(watched.record_ids())) == 1
    failures = [failure["record_id"] for failure in failures_in(watched.output)]
    assert (len(failures), len(set(failures))) == (2, 1)
    for name in folders:
        with watched.other_work_folder(name):
            counted = total(watched.ledger())
        assert (counted["failures"], counted["duplicates"], counted["gap"]) == (1, 0, 0)


def test_workers_share_an_output_in_a_bucket(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = "gs://out/live"
    folders = [str(watched.output.parent / name) for name in ("first", "second")]

    def worker_on(folder: str) -> AbstractContextManager[Worker]:
        watched.work_folder = folder
        return watched.worker(replace(watched.config(), output=output))

    with storage_server(monkeypatch) as buckets:
        with worker_on(folders[0]) as first, worker_on(folders[1]) as second:
            for start in (0, 20):
                publish(watched, start, 20)
                work(first, lambda: second.step() or not watched.outstanding)
            second.finish()
            # The first one dies before it has published its last rows.
        with worker_on(folders[0]) as restarted:
            restarted.finish()
        ids = [str(row["record_id"]) for row in rows_in(buckets.below(f"{output}/enriched/"))]
        verified = main(["verify", output, "--work_folder", *folders])
    assert len(ids) == len(set(ids)) == 40
    assert verified == 0


def rows_in(objects: Mapping[str, bytes]) -> list[dict[str, object]]:
    """Read the rows of Avro files."""
    return [row for content in objects.values() for row in fastavro.reader(io.BytesIO(content))]
