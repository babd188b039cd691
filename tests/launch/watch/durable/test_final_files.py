"""From batches to files: by age and size, whole, and the same ones after every crash."""

import itertools
import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from launch.watch.durable.batches import BatchFolders
from launch.watch.durable.final_files import FinalFiles
from launch.watch.durable.journal import Journal
from launch.watch.durable.published_ids import PublishedIds
from launch.watch.durable.publisher import FilePublisher

from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sinks.part_files import OpenPart
from pipeline.sinks.row_formats import EnrichedFiles
from schemas.enriched_answer import EnrichedAnswer
from tests.support.builders import NOON_US, a_failure, a_message, an_enriched
from tests.support.clocks import ManualClock
from tests.support.journals import an_account, an_alert, commit_batch
from tests.support.outputs import alerts_in, failures_in, records_in, visible_files
from transforms.persistence.database import Database

AGE_S = 300.0
DAY_US = 86_400_000_000


class Keeper:
    """A worker's journal and files over one output, which may be opened again and again."""

    def __init__(self, folder: Path, clock: ManualClock, **config: Any) -> None:
        self.clock = clock
        self.output = folder / "out"
        self.config = Config(
            inputs=(),
            output=str(self.output),
            run="r1",
            work_folder=str(self.output / ".groundwatch-r1"),
            **config,
        )
        self.journal = Journal(f"{self.config.work_folder}/journal.sqlite")
        self.folders = BatchFolders(str(self.config.work_folder), self.journal)
        self.published_ids = PublishedIds(
            self.config, self.journal.identity, 3_600, lambda: clock.now_s
        )
        self.files = FinalFiles(
            self.config, self.folders, self.published_ids, ["alerts", "failures"]
        )
        self.publisher = FilePublisher(
            self.publish, self.folders.sizes, self.config.file_bytes, AGE_S, clock
        )
        self.journal._database.write("PRAGMA synchronous = OFF")

    def close(self) -> None:
        self.journal.close()
        self.published_ids.close()

    def publish(self) -> int:
        """Make all that waits public; returns how many files."""
        return self.files.publish(self.journal)

    def publish_due(self) -> int:
        """Look whether it is time to publish, and wait until that is done; as `publish`."""
        self.publisher.publish_due()
        if self.publisher._running is None:
            return 0
        wait([self.publisher._running])
        published = self.publisher._running
        self.publisher.publish_due()
        return published.result()

    def commit(self, *rows: EnrichedAnswer, **fields: Any) -> None:
        """Commit a batch of these records, as the worker does."""
        number = self.journal.next_number()
        folder = self.folders.begin(number)
        row_format = EnrichedFiles(self.config.text, self.config.run, with_keys=True)
        parts = []
        for name, grouped in itertools.groupby(rows, row_format.folder):
            path = f"{folder}/part-{len(parts)}.avro"
            part = OpenPart(path, name, row_format)
            for row in grouped:
                part.write(row)
            parts.append(part.close())
        self.folders.keep(number, parts)
        account = an_account(read=len(rows), enriched=len(rows))
        commit_batch(self.journal, number, account, parts=tuple(parts), **fields)

    def ids(self) -> list[str]:
        """The record ids in the output, sorted."""
        return sorted(record["record_id"] for record in records_in(self.output))


@pytest.fixture
def keeper(tmp_path: Path, clock: ManualClock) -> Iterator[Keeper]:
    with closing(Keeper(tmp_path, clock)) as keeper:
        yield keeper


def row(number: int, day: int = 0) -> EnrichedAnswer:
    """A record of a day after the first, with a session that cannot be compressed."""
    session = random.Random(number).randbytes(50).hex()  # noqa: S311 - no secret
    event_time_us = NOON_US + day * DAY_US
    return an_enriched(record_id=f"{number:064x}", event_time_us=event_time_us, session=session)


def ids(*numbers: int) -> list[str]:
    return [f"{number:064x}" for number in numbers]


def test_files_become_public_at_the_first_look_and_then_by_age(keeper: Keeper) -> None:
    keeper.commit(row(1))
    assert keeper.publish_due() == 1
    keeper.commit(row(2))
    keeper.clock.advance(AGE_S - 1)
    assert keeper.publish_due() == 0
    assert keeper.ids() == ids(1)
    keeper.clock.advance(1)
    assert keeper.publish_due() == 1
    assert keeper.ids() == ids(1, 2)


def test_nothing_is_written_where_nothing_came(keeper: Keeper) -> None:
    assert keeper.publish() == 0
    assert visible_files(keeper.output) == []


def test_a_file_becomes_public_as_soon_as_it_is_large_enough(
    tmp_path: Path, clock: ManualClock
) -> None:
    with closing(Keeper(tmp_path, clock, file_bytes=12_000)) as keeper:
        keeper.publish_due()
        # Another date's bytes do not count.
        keeper.commit(*(row(number, day=number) for number in range(1, 8)))
        assert keeper.publish_due() == 0
        keeper.commit(*(row(number) for number in range(8, 300)))
        assert keeper.publish_due() == 8
        assert keeper.ids() == ids(*range(1, 300))


def test_batches_are_joined_to_one_file_a_date_with_a_line_each_in_the_manifest(
    keeper: Keeper,
) -> None:
    keeper.commit(row(1), row(2, day=1))
    keeper.commit(row(3), row(4, day=1))
    keeper.publish_due()
    batch = f"{keeper.journal.identity}-batch0000000001"
    assert visible_files(keeper.output) == [
        f"enriched/event_date=2026-03-03/r1-{batch}-0-00000.avro",
        f"enriched/event_date=2026-03-04/r1-{batch}-0-00000.avro",
        f"manifest/r1-enriched-{batch}.jsonl",
    ]
    manifest = keeper.output / f"manifest/r1-enriched-{batch}.jsonl"
    assert manifest.read_bytes().count(b"\n") == 2
    assert list(keeper.output.glob(".groundwatch-r1/batch-*")) == []


def test_late_rows_of_a_date_get_a_file_of_their_own(keeper: Keeper) -> None:
    keeper.commit(row(1))
    keeper.publish_due()
    (first,) = keeper.output.glob("enriched/*/*.avro")
    content, inode = first.read_bytes(), first.stat().st_ino
    keeper.commit(row(2))
    keeper.publish()
    assert len(list(keeper.output.glob("enriched/event_date=2026-03-03/*.avro"))) == 2
    assert (first.read_bytes(), first.stat().st_ino) == (content, inode)
    assert keeper.ids() == ids(1, 2)


def test_alerts_and_failures_without_a_topic_go_into_files_once(keeper: Keeper) -> None:
    failures = tuple(a_failure(message=a_message(place=str(at))) for at in range(3))
    keeper.commit(alerts=(an_alert(record_id="1"), an_alert(record_id="2")), failures=failures)
    keeper.publish_due()
    keeper.commit(alerts=(an_alert(record_id="3"),))
    keeper.publish()
    keeper.publish()
    assert [alert["record_id"] for alert in alerts_in(keeper.output)] == ["1", "2", "3"]
    assert [failure["source"] for failure in failures_in(keeper.output)] == ["0", "1", "2"]


def test_parts_are_found_where_the_folder_was_moved_to(tmp_path: Path, clock: ManualClock) -> None:
    with closing(Keeper(tmp_path, clock)) as keeper:
        keeper.commit(row(1))
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "moved").rename(tmp_path / "elsewhere" / "out")
    with closing(Keeper(tmp_path / "elsewhere", clock)) as keeper:
        keeper.publish_due()
        assert keeper.ids() == ids(1)


def test_what_killed_batches_left_behind_is_removed(tmp_path: Path, clock: ManualClock) -> None:
    with closing(Keeper(tmp_path, clock)) as keeper:
        keeper.commit(row(1))
        abandoned = Path(keeper.folders.begin(2))
        (abandoned / "half").write_bytes(b"a half of it")
    with closing(Keeper(tmp_path, clock)) as keeper:
        assert not abandoned.exists()
        keeper.publish_due()
        assert keeper.ids() == ids(1)


def test_a_disk_that_was_full_is_tried_again_after_a_while(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.commit(row(1))
    tries = []

    def full(*_: str) -> None:
        tries.append(keeper.clock.now_s)
        raise OSError("no space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(storage, "publish_new", full)
        for _ in range(12):
            with suppress(OSError):
                keeper.publish_due()
            keeper.clock.advance(1)
    assert len(tries) == 2
    assert visible_files(keeper.output) == []
    keeper.clock.advance(10)
    keeper.publish_due()
    assert keeper.ids() == ids(1)


class Crash(BaseException):
    """The end of the process, at a moment of the test's choosing."""


_TOUCHES = ("publish", "publish_new", "fsync", "create", "write_whole")


def crashing(patch: pytest.MonkeyPatch, moment: int) -> Callable[[], bool]:
    """Let the process die just before its nth touch of the disk or journal.

    Returns:
      A function: whether it died.
    """
    touches = itertools.count()
    died = []

    def dying(deed: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*given: Any, **named: Any) -> Any:
            number = next(touches)
            if died or number == moment:
                died.append(number)
                raise Crash
            return deed(*given, **named)

        return touch

    for name in _TOUCHES:
        patch.setattr(storage, name, dying(getattr(storage, name)))
    patch.setattr(Database, "write", dying(Database.write))
    return lambda: bool(died)


def test_a_crash_at_any_touch_of_the_disk_loses_nothing_and_doubles_nothing(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # No machine fails here, only processes.
    moments = 0
    for moment in itertools.count():
        folder = tmp_path / f"{moment}"
        with closing(Keeper(folder, clock, file_bytes=2_000)) as keeper:
            for first in (0, 20):
                rows = (row(first + number, day=number // 12) for number in range(20))
                alert = an_alert(record_id=str(first))
                keeper.commit(*rows, alerts=(alert,), failures=(a_failure(),))
            with monkeypatch.context() as crash:
                has_died = crashing(crash, moment)
                with suppress(Crash):
                    keeper.publish_due()
            seen = {path: (keeper.output / path).read_bytes() for path in public(keeper)}
        # Later rows, another size of files: they must not change what was begun.
        with closing(Keeper(folder, clock, file_bytes=500_000)) as keeper:
            keeper.commit(row(40), alerts=(an_alert(record_id="40"),))
            keeper.publish_due()
            assert keeper.ids() == ids(*range(41))
            alerts = [alert["record_id"] for alert in alerts_in(keeper.output)]
            assert alerts == ["0", "20", "40"]
            assert len(failures_in(keeper.output)) == 2
            for path, content in seen.items():
                assert (keeper.output / path).read_bytes() == content
            assert list(keeper.output.glob(".groundwatch-r1/batch-*")) == []
        if not has_died():
            break
        moments += 1
    assert moments > 30


def public(keeper: Keeper) -> list[str]:
    """The files that a reader of the output may have read already."""
    return [path for path in visible_files(keeper.output) if not path.startswith("manifest/")]
