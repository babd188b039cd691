"""FinalFiles of a worker that no other worker, and no later journal, replaces."""

import io
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from pathlib import Path

import fastavro
import pytest
from launch.watch.durable.journal import Journal
from launch.watch.durable.ownership import OwnershipLost
from msgspec.structs import replace

from launch.__main__ import main
from launch.watch.worker import Worker
from pipeline.storage import TargetExists
from tests.support.archives import an_envelope
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.fault_server import FaultServer, by_answer
from tests.support.file_systems import NO_SECOND_FILE_SYSTEM, other_file_system
from tests.support.outputs import alerts_in, failures_in, records_below, summary_in
from tests.support.storage_server import storage_server
from tests.support.waiting import wait_until
from tests.support.watched import SUBSCRIPTION, Watched, total, work
from tests.support.watching import WatchProcess
from tests.support.wire_faults import status


def publish(watched: Watched, first: int, count: int) -> None:
    watched.publish(*map(an_envelope, range(first, first + count)))


def test_a_new_work_folder_replaces_no_file_of_the_one_before(watched: Watched) -> None:
    publish(watched, 0, 50)
    watched.drain()
    publish(watched, 50, 20)
    with watched.other_work_folder("restarted"):
        watched.drain()
    assert len(set(watched.record_ids())) == 70


def test_a_new_work_folder_knows_what_was_published_before_in_each_of_its_batches(
    watched: Watched,
) -> None:
    publish(watched, 0, 30)
    watched.drain()
    with watched.other_work_folder("restarted"), watched.worker() as worker:
        for first in (0, 10, 20):
            publish(watched, first, 10)
            work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert sorted(watched.record_ids()) == sorted(set(watched.record_ids()))
    assert len(watched.record_ids()) == 30


def test_a_removed_journal_takes_no_row_along(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    publish(watched, 0, 30)
    watched.drain()
    # This worker dies with rows that are durable and not published.
    with watched.worker() as worker:
        publish(watched, 30, 5)
        work(worker, lambda: len(watched.record_ids()) == 35)
        publish(watched, 35, 20)
        work(worker, lambda: not watched.outstanding)
    public = set(watched.record_ids())
    assert len(public) == 35
    for path in Path(watched.work_folder).glob("journal.sqlite*"):
        path.unlink()
    publish(watched, 55, 10)
    watched.drain()
    assert public < set(watched.record_ids())
    aside = {row["record_id"] for row in records_below(Path(watched.work_folder) / "set-aside")}
    assert len(aside) == 20
    assert len(aside | set(watched.record_ids())) == 65
    assert "belong to another journal; they were moved to" in caplog.text


def test_an_output_folder_that_is_deleted_stops_the_worker(watched: Watched) -> None:
    watched.work_folder = str(watched.output.parent / "work")
    publish(watched, 0, 10)
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        shutil.rmtree(watched.output)
        publish(watched, 10, 10)
        with pytest.raises(OwnershipLost, match=r"out was (deleted|replaced) while"):
            work(worker, lambda: False)
    assert watched.outstanding == 10


def test_a_journal_that_is_replaced_stops_the_worker(watched: Watched) -> None:
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        for path in Path(watched.work_folder).glob("journal.sqlite*"):
            path.unlink()
        with closing(Journal(f"{watched.work_folder}/journal.sqlite")):
            publish(watched, 0, 10)
            with pytest.raises(OwnershipLost, match=r"journal\.sqlite was replaced"):
                work(worker, lambda: False)
    assert watched.outstanding == 10


def run_to_the_end(worker: Worker, watched: Watched) -> None:
    """Acknowledge all messages and publish; files may be published before the last message."""
    work(worker, lambda: not watched.outstanding)
    worker.finish()


def test_a_file_of_somebody_else_is_not_replaced_and_stops_the_worker(watched: Watched) -> None:
    with watched.worker() as worker:
        with closing(Journal(f"{watched.work_folder}/journal.sqlite")) as journal:
            name = f"r1-{journal.identity}-batch0000000001-0-00000.avro"
        taken = watched.output / "enriched" / "event_date=2026-03-02" / name
        taken.parent.mkdir(parents=True, exist_ok=True)
        taken.write_bytes(b"somebody else's")
        publish(watched, 0, 5)
        with pytest.raises(TargetExists, match="another process wrote it"):
            run_to_the_end(worker, watched)
    assert taken.read_bytes() == b"somebody else's"


def test_a_damaged_part_is_set_aside_and_all_others_are_published(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    with watched.worker() as worker:
        # The first publication is due at once, the next one after a while.
        worker.step()
        for first in (0, 5):
            publish(watched, first, 5)
            work(worker, lambda: not watched.outstanding)
        damaged = min(Path(watched.work_folder).glob("batch-*/*.avro"))
        damaged.write_bytes(damaged.read_bytes()[:-10])
        damaged_rows = len(watched.record_ids())
        worker.finish()
        with closing(Journal(f"{watched.work_folder}/journal.sqlite")) as journal:
            (part,) = journal.parts_set_aside()
    assert damaged_rows == 0
    assert len(watched.record_ids()) == 10 - part.rows > 0
    assert "set-aside" in part.path
    assert Path(part.path).is_file()
    assert [alert["kind"] for alert in alerts_in(watched.output)] == ["ledger"]
    assert main(["verify", str(watched.output), "--work_folder", watched.work_folder]) == 1
    assert "5 rows are in damaged parts, and in no file" in capsys.readouterr().out


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


class Fleet:
    """Workers in processes of their own, each with a work folder, on one output."""

    def __init__(self, address: str, watched: Watched, folder: Path, running: ExitStack) -> None:
        self._address = address
        self._output = watched.output
        self._folder = folder
        self._running = running

    def start(self, name: str) -> WatchProcess:
        """Start a worker, and wait until it keeps a journal."""
        work_folder = self._folder / name
        worker = self._running.enter_context(
            WatchProcess(
                self._address,
                SUBSCRIPTION,
                self._output,
                *("--file_age_s", "0.2", "--work_folder", str(work_folder)),
                limits=("batch_messages=20", "outstanding_messages=40"),
            )
        )
        worker.wait_for((work_folder / "journal.sqlite").exists)
        return worker


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
        fleet = Fleet(own_server.address, watched, tmp_path, running)
        killed, *others = [fleet.start(f"work-{number}") for number in range(3)]
        for first in range(0, 600, 60):
            publish(watched, first, 60)
            wait_until(lambda: watched.outstanding < 60, 60.0)
        killed.kill()
        end_leases_until_done(watched, clock)
        # One joins with an empty work folder, and the others leave.
        joined = fleet.start("joined")
        publish(watched, 600, 60)
        wait_until(lambda: not watched.outstanding, 60.0)
        for worker in (*others, joined):
            assert worker.end()[0] == 0
        # The killed one comes back, and publishes what it had not published.
        returned = fleet.start("work-0")
        publish(watched, 660, 1)
        wait_until(lambda: not watched.outstanding, 60.0)
        assert returned.end()[0] == 0
    ids = watched.record_ids()
    assert len(ids) == len(set(ids)) == 661
    summary = summary_in(watched.output)
    assert (summary["enriched"], summary["failures"], summary["closes"]) == (661, 0, True)
    assert len(summary["runs"]) == 4
    work_folders = [str(folder) for folder in tmp_path.glob("*") if folder != watched.output]
    assert main(["verify", str(watched.output), "--work_folder", *work_folders]) == 0


def test_an_answer_that_fails_at_several_workers_is_one_failure(watched: Watched) -> None:
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
    assert len(watched.record_ids()) == 1
    assert len(failures_in(watched.output)) == 1
    with watched.other_work_folder("second"):
        counted = total(watched.ledger())
    assert (counted["failures"], counted["duplicates"], counted["gap"]) == (0, 2, 0)
    work_folders = [str(watched.output.parent / name) for name in folders]
    assert main(["verify", str(watched.output), "--work_folder", *work_folders]) == 0


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
            for start in (0, 20, 10):
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
