"""From committed rows to final files: whole, under new names, and each row once, whatever dies."""

import itertools
import json
import random
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.storage import TargetExists
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import DAY_US
from groundwatch.transforms.persistence.database import Database
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.builders import NOON_US, a_failure, a_message, an_enriched
from tests.support.journals import an_alert, chunks_of, commit_batch, damage_rows
from tests.support.outputs import alerts_in, failures_in, records_in, visible_files


class Keeper:
    """The database and files of a run, which may be opened again and again."""

    def __init__(self, folder: Path, **fields: Any) -> None:
        self.output = folder / "out"
        config = Config(
            inputs=(), output=str(self.output), run="r1", work_folder=str(folder / "work")
        )
        self.config = replace(config, **fields)
        self.journal = Journal(EngineDatabase.owned(str(folder / "work")), self.config)
        self.journal.database.write("PRAGMA synchronous = OFF")
        self.publisher = Publisher(self.journal.database, self.config)
        self.close = self.journal.close

    def commit(self, *rows: EnrichedAnswer, **fields: Any) -> None:
        """Commit a batch of these records alone."""
        chunks = chunks_of(self.journal, *rows)
        commit_batch(self.journal, self.journal.next_number(), chunks=chunks, **fields)

    def publish_as_the_next_process(self) -> int:
        """Publish everything, as a process does that has just begun."""
        self.publisher.recover()
        return self.publisher.publish(everything=True)

    def name(self, number: int) -> str:
        return f"r1-{self.journal.database.identity}-{number:06d}"

    def ids(self) -> list[str]:
        """The record ids in the output, sorted."""
        return sorted(record["record_id"] for record in records_in(self.output))

    def manifest(self) -> list[dict[str, Any]]:
        paths = sorted(self.output.glob("manifest/*.jsonl"))
        return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    with closing(Keeper(tmp_path)) as keeper:
        yield keeper


def row(number: int, day: int = 0) -> EnrichedAnswer:
    """A record of a day after the first, with a session that cannot be compressed."""
    session = random.Random(number).randbytes(50).hex()  # noqa: S311 - no secret
    event_time_us = NOON_US + day * DAY_US
    return an_enriched(record_id=f"{number:064x}", event_time_us=event_time_us, session=session)


def ids(*numbers: int) -> list[str]:
    return [f"{number:064x}" for number in numbers]


def test_nothing_is_written_where_nothing_came(keeper: Keeper) -> None:
    assert keeper.publish_as_the_next_process() == 0
    assert visible_files(keeper.output) == []


def test_batches_are_joined_to_one_file_a_date_with_a_line_each_in_the_manifest(
    keeper: Keeper,
) -> None:
    keeper.commit(row(1), row(2, day=1), row(5))
    keeper.commit(row(3), row(4, day=1))
    assert keeper.publisher.publish(everything=True) == 2
    manifest = f"manifest/r1-{keeper.journal.database.identity}-000001.jsonl"
    files = [
        f"enriched/event_date=2026-03-03/{keeper.name(1)}.avro",
        f"enriched/event_date=2026-03-04/{keeper.name(2)}.avro",
    ]
    assert visible_files(keeper.output) == [*files, manifest]
    assert [(line["path"], line["rows"]) for line in keeper.manifest()] == [
        (files[0], 3),
        (files[1], 2),
    ]
    assert keeper.publisher.rows_published() == {"enriched": 5}
    assert keeper.journal.waiting() == {}


def test_late_rows_of_a_date_get_a_file_of_their_own(keeper: Keeper) -> None:
    keeper.commit(row(1))
    keeper.publisher.publish(everything=True)
    (first,) = keeper.output.glob("enriched/*/*.avro")
    content, inode = first.read_bytes(), first.stat().st_ino
    keeper.commit(row(2))
    keeper.publisher.publish(everything=True)
    assert len(list(keeper.output.glob("enriched/event_date=2026-03-03/*.avro"))) == 2
    assert (first.read_bytes(), first.stat().st_ino) == (content, inode)
    assert keeper.ids() == ids(1, 2)


def test_alerts_and_failures_without_a_topic_go_into_files_once(keeper: Keeper) -> None:
    failures = tuple(a_failure(message=a_message(place=str(at))) for at in range(3))
    keeper.commit(alerts=(an_alert(record_id="1"), an_alert(record_id="2")), failures=failures)
    keeper.publisher.publish(everything=True)
    keeper.commit(alerts=(an_alert(record_id="3"),))
    keeper.publisher.publish(everything=True)
    assert keeper.publisher.publish(everything=True) == 0
    assert [alert["record_id"] for alert in alerts_in(keeper.output)] == ["1", "2", "3"]
    assert [failure["source"] for failure in failures_in(keeper.output)] == ["0", "1", "2"]


def test_only_a_folder_that_fills_a_file_is_published_before_its_time(tmp_path: Path) -> None:
    with closing(Keeper(tmp_path, file_bytes=12_000)) as keeper:
        keeper.commit(*(row(number, day=number) for number in range(1, 8)))
        assert not keeper.publisher.is_due()
        assert keeper.publisher.publish() == 0
        for first in range(8, 308, 50):
            keeper.commit(*(row(number) for number in range(first, first + 50)))
        assert keeper.publisher.is_due()
        assert keeper.publisher.publish() > 0
        assert not list(keeper.output.glob("enriched/event_date=2026-03-04/*"))
        assert all(path.stat().st_size >= 12_000 for path in keeper.output.glob("enriched/*/*"))
        assert not keeper.publisher.is_due()
        keeper.publisher.publish(everything=True)
        assert keeper.ids() == ids(*range(1, 308))


def test_rows_do_not_fill_the_disk_though_no_file_is_full(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwatch.launch.engine.publisher._MAX_WAITING_BYTES", 2_000)
    for day in range(20):
        keeper.commit(*(row(20 * day + number, day) for number in range(day + 1)))
    assert keeper.publisher.publish() > 0
    left = keeper.journal.database.read("SELECT total(bytes) FROM chunks")
    assert 0 < next(left)[0] <= 2_000
    keeper.publisher.publish(everything=True)
    assert len(set(keeper.ids())) == len(keeper.ids()) == 210


def test_a_file_of_somebody_else_is_not_replaced(keeper: Keeper) -> None:
    taken = keeper.output / "enriched" / "event_date=2026-03-03" / f"{keeper.name(1)}.avro"
    taken.parent.mkdir(parents=True)
    taken.write_bytes(b"somebody else's")
    keeper.commit(row(1))
    with pytest.raises(TargetExists, match=r"another process wrote it.*move it away"):
        keeper.publisher.publish(everything=True)
    with pytest.raises(TargetExists, match="another process wrote it"):
        keeper.publisher.recover()
    assert taken.read_bytes() == b"somebody else's"
    assert keeper.journal.waiting()["enriched"].rows == 1
    assert keeper.manifest() == []


def test_a_damaged_chunk_becomes_no_file_and_stays(keeper: Keeper) -> None:
    keeper.commit(row(1))
    damage = "UPDATE chunks SET content = CAST(content || x'00' AS BLOB)"
    damage_rows(keeper.journal.database.path, damage)
    with pytest.raises(OSError, match=r"is damaged \(rows are not what was written\)"):
        keeper.publish_as_the_next_process()
    assert visible_files(keeper.output) == []
    assert keeper.journal.waiting()["enriched"].rows == 1


@pytest.mark.parametrize("text", [TextMode.HASH, TextMode.NONE])
def test_the_settings_at_publication_decide_how_much_text_leaves(
    tmp_path: Path, text: TextMode
) -> None:
    alert = an_alert(answer_text="Lamps glow red.")
    with closing(Keeper(tmp_path, alerts=AlertRule(with_text=True))) as before:
        before.commit(row(1), alerts=(alert,), failures=(a_failure(),))
    with closing(Keeper(tmp_path, text=text, failure_payload=False)) as keeper:
        keeper.commit(row(2))
        keeper.publish_as_the_next_process()
        records = records_in(keeper.output)
        assert keeper.ids() == ids(1, 2)
        assert records[0]["answer_text"] == records[1]["answer_text"] != row(1).answer_text
        [line] = alerts_in(keeper.output)
        assert line["answer_text"] is None
        [failure] = failures_in(keeper.output)
        assert not failure["payload_base64"]


def test_rows_of_less_text_stay_as_they_are(tmp_path: Path) -> None:
    with closing(Keeper(tmp_path, text=TextMode.NONE)) as before:
        before.commit(row(1))
    with closing(Keeper(tmp_path)) as keeper:
        keeper.publish_as_the_next_process()
        [record] = records_in(keeper.output)
        assert record["answer_text"] == ""


class Crash(BaseException):
    """The end of the process, at a moment of the test's choosing."""


_TOUCHES = ("publish_new", "checksum", "create", "write_whole", "remove")


def crashing(patch: pytest.MonkeyPatch, moment: int, *, after: bool) -> Callable[[], bool]:
    """Let the process die just before or after its nth touch of the disk or database.

    Returns:
      A function: whether it died.
    """
    touches = itertools.count()
    died: list[int] = []

    def dying(deed: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*given: Any, **named: Any) -> Any:
            number = next(touches)
            is_last = number == moment
            if not died and is_last and after:
                deed(*given, **named)
            if died or is_last:
                died.append(number)
                raise Crash
            return deed(*given, **named)

        return touch

    for name in _TOUCHES:
        patch.setattr(storage, name, dying(getattr(storage, name)))
    patch.setattr(Database, "write", dying(Database.write))
    return lambda: bool(died)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_touch_of_the_disk_loses_nothing_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # No machine fails here, only processes.
    for moment in itertools.count():
        folder = tmp_path / f"{moment}"
        with closing(Keeper(folder, file_bytes=2_000)) as keeper:
            for first in (0, 20):
                rows = (row(first + number, day=number // 12) for number in range(20))
                alert = an_alert(record_id=str(first))
                keeper.commit(*rows, alerts=(alert,), failures=(a_failure(),))
            with monkeypatch.context() as crash:
                has_died = crashing(crash, moment, after=after)
                with suppress(Crash):
                    keeper.publish_as_the_next_process()
            seen = {path: (keeper.output / path).read_bytes() for path in public(keeper)}
        # Later rows, another size of files: they must not change what was begun.
        with closing(Keeper(folder, file_bytes=500_000)) as keeper:
            keeper.commit(row(40), alerts=(an_alert(record_id="40"),))
            keeper.publish_as_the_next_process()
            assert keeper.ids() == ids(*range(41))
            alerts = sorted(str(alert["record_id"]) for alert in alerts_in(keeper.output))
            assert alerts == ["0", "20", "40"]
            assert len(failures_in(keeper.output)) == 2
            for path, content in seen.items():
                assert (keeper.output / path).read_bytes() == content
            listed = [line["path"] for line in keeper.manifest()]
            assert sorted(listed) == sorted(public(keeper))
            assert keeper.publisher.rows_published()["enriched"] == 41
            files = [path for path in keeper.output.rglob("*") if path.is_file()]
            assert all(path.stat().st_nlink == 1 for path in files)
            assert not [path.name for path in files if path.name.endswith(".unpublished")]
        if not has_died():
            break
    assert moment > 30


def public(keeper: Keeper) -> list[str]:
    """The files that a reader of the output may have read already."""
    return [path for path in visible_files(keeper.output) if not path.startswith("manifest/")]
