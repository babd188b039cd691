"""Write the panes of a stream to files."""

from pathlib import Path
from typing import Any

import pytest
from apache_beam.transforms.window import IntervalWindow
from apache_beam.utils.windowed_value import PaneInfo, PaneInfoTiming

from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks import folder_writer, write_windows
from groundwatch.pipeline.sinks.folder_writer import Part
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles, FailureFiles, RowFormat
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import from_rfc3339
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.builders import NOON_US, a_failure, a_message, an_enriched
from tests.support.outputs import records_in, visible_files

WINDOW = IntervalWindow(NOON_US / 1e6, NOON_US / 1e6 + 300)
AVRO = EnrichedFiles(TextMode.FULL, "run")


def a_record(number: int) -> EnrichedAnswer:
    return an_enriched(record_id=f"{number:08x}" + "0" * 56, answer_name=f"a{number}")


def a_destination(folder: Path, **fields: Any) -> Destination:
    return Destination(root=str(folder), run="run", **fields)


def write_pane(
    destination: Destination, rows: list[EnrichedAnswer], pane: int = 0, shard: int = 3
) -> list[tuple[str, Part]]:
    """Write a pane as the pipeline does, without one."""
    info = PaneInfo(pane == 0, False, PaneInfoTiming.LATE, pane, pane)
    grouped = (AVRO.folder(rows[0]) if rows else "enriched", shard), iter(rows)
    return list(
        write_windows._write_pane(
            grouped, WINDOW, info, destination=destination, row_format=AVRO, shards=4
        )
    )


def write(
    destination: Destination, rows: list[EnrichedAnswer], **where: int
) -> list[tuple[str, Part]]:
    """Write a pane and publish its files."""
    named = write_pane(destination, rows, **where)
    for each in named:
        write_windows._publish_part(each, destination)
    return named


def test_a_file_name_contains_window_pane_and_shard(tmp_path: Path) -> None:
    write(a_destination(tmp_path), [a_record(1)], pane=2)
    assert visible_files(tmp_path) == [
        "enriched/event_date=2026-03-03/run-20260303T120000Z-2-00003.avro",
        "manifest/run-enriched-event_date=2026-03-03-20260303T120000Z-2-00003.avro.jsonl",
    ]


def test_a_pane_without_rows_writes_no_file(tmp_path: Path) -> None:
    assert write(a_destination(tmp_path), []) == []
    assert visible_files(tmp_path) == []


def test_a_long_pane_is_split_into_files_with_different_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_writer, "_ROWS_BETWEEN_CHECKS", 1)
    destination = a_destination(tmp_path, file_bytes=1)
    names = {
        path
        for shard in range(4)
        for path, _ in write(destination, [a_record(n) for n in range(5)], shard=shard)
    }
    assert len(names) > 4
    assert len(records_in(tmp_path)) == 20


def test_publishing_twice_is_publishing_once(tmp_path: Path) -> None:
    destination = a_destination(tmp_path)
    [named] = write(destination, [a_record(1)])
    write_windows._publish_part(named, destination)
    assert len(records_in(tmp_path)) == 1


def test_an_abandoned_attempt_that_ends_late_replaces_nothing(tmp_path: Path) -> None:
    destination = a_destination(tmp_path)
    write(destination, [a_record(1), a_record(2)])
    # The same pane, as it was before the second row had come: nobody publishes what it wrote.
    write_pane(destination, [a_record(1)])
    assert [record["answer_name"] for record in records_in(tmp_path)] == ["a1", "a2"]


@pytest.mark.parametrize(
    ("row", "row_format", "place"),
    [
        (a_record(6), AVRO, ("enriched/event_date=2026-03-03", 2)),
        (
            an_enriched(record_id="f" * 64, event_time_us=None),
            AVRO,
            ("enriched/event_date=__HIVE_DEFAULT_PARTITION__", 3),
        ),
        (an_enriched(record_id=None), FailureFiles(with_payload=True), ("failures", 2)),
    ],
    ids=["by date", "no time", "no id"],
)
def test_a_row_has_its_folder_and_its_shard(
    row: Any, row_format: RowFormat, place: tuple[str, int]
) -> None:
    assert write_windows._place_row(row, row_format, shards=4) == (place, row)


def test_rows_without_an_id_are_spread_over_the_shards() -> None:
    row_format = FailureFiles(with_payload=True)
    failures = [a_failure(message=a_message(place=str(number))) for number in range(40)]
    shards = {write_windows._place_row(row, row_format, 4)[0][1] for row in failures}
    assert shards == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("event_date", "folder"),
    [
        ("2026-03-02", "2026-03-02"),
        ("0001-01-01", "__HIVE_DEFAULT_PARTITION__"),
        ("9999-12-31", "__HIVE_DEFAULT_PARTITION__"),
        ("2026-03-06", "__HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_a_date_far_from_now_creates_no_folder(event_date: str, folder: str) -> None:
    time_us = from_rfc3339(f"{event_date}T12:00:00Z")
    row = an_enriched(event_time_us=time_us)
    recent = EnrichedFiles(TextMode.FULL, now_us=lambda: NOON_US)
    assert recent.folder(row) == f"enriched/event_date={folder}"
    # An archive may hold any date.
    assert AVRO.folder(row) == f"enriched/event_date={event_date}"
