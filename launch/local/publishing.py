"""From the parts of all segments to the files that the world sees."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pipeline import storage
from pipeline.config import Config
from pipeline.destination import Destination
from pipeline.manifest import check_manifest, write_manifest
from pipeline.open_part import OpenPart
from pipeline.part import Part
from pipeline.row_files import AlertFiles, RowFormat
from pipeline.sinks import row_formats
from schemas.alert import Alert
from schemas.file_entry import FileEntry
from transforms.measure_rates import Keyed
from transforms.rules.burn_rate import RateCounts, RateRule, rate_alerts


def publish(config: Config, parts: Iterable[Part], rates: Iterable[Keyed]) -> dict[str, int]:
    """Join parts to files of the wished size, publish them, and see that they are there.

    Args:
      config: the run's settings.
      parts: those of all segments, in the segments' order.
      rates: the counts of each engine's answers, of all segments.

    Returns:
      How many rows of each kind the files hold, by reading them back.

    Raises:
      OSError: a file cannot be written, or is not there afterwards.
    """
    by_kind: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_kind[part.kind].append(part)
    by_kind[AlertFiles.kind] += _rate_alert_parts(config, rates)
    return {
        row_format.kind: _publish_kind(config.destination, row_format, by_kind[row_format.kind])
        for row_format in row_formats(
            config.destination, config.text, with_payload=config.failure_payload
        )
    }


def _publish_kind(destination: Destination, row_format: RowFormat, parts: Sequence[Part]) -> int:
    by_folder: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_folder[part.folder].append(part)
    entries = [
        _join(
            destination,
            row_format,
            destination.file_path(folder, shard, row_format.extension),
            group,
        )
        for folder, grouped in by_folder.items()
        for shard, group in enumerate(_cut(grouped, destination.file_bytes))
    ]
    write_manifest(entries, destination, row_format)
    return check_manifest(destination, row_format)


def _cut(parts: Iterable[Part], file_bytes: int) -> Iterator[list[Part]]:
    """Cut a row of parts where they have become a file's worth."""
    group: list[Part] = []
    size = 0
    for part in parts:
        group.append(part)
        size += part.bytes
        if size >= file_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group


def _join(
    destination: Destination, row_format: RowFormat, path: str, parts: Sequence[Part]
) -> FileEntry:
    """Write one header and what stands behind it in each part."""
    final_path = destination.path(path)
    temporary_path = destination.temporary_path(f"joined.{row_format.extension}")
    with storage.telling(f"cannot write {final_path}"):
        with storage.create(temporary_path) as joined:
            joined.write(row_format.header())
            for part in parts:
                with storage.telling(f"cannot read {part.path}"), storage.read(part.path) as stream:
                    row_format.skip_header(stream)
                    shutil.copyfileobj(stream, joined, 1024 * 1024)
            size = joined.tell()
        storage.publish(temporary_path, final_path)
    firsts = [part.first_event_us for part in parts if part.first_event_us is not None]
    lasts = [part.last_event_us for part in parts if part.last_event_us is not None]
    return FileEntry(
        path=path,
        rows=sum(part.rows for part in parts),
        bytes=size,
        first_event_us=min(firsts, default=None),
        last_event_us=max(lasts, default=None),
    )


def _rate_alert_parts(config: Config, rates: Iterable[Keyed]) -> list[Part]:
    """Write the alerts that only all segments together can raise."""
    alerts = _rate_alerts(rates, config.rates)
    if not alerts:
        return []
    row_format = AlertFiles()
    path = config.destination.temporary_path(f"rates.{row_format.extension}")
    part = OpenPart(path, row_format.kind, row_format)
    for alert in alerts:
        part.write(alert, alert.event_time_us)
    return [part.close()]


def _rate_alerts(rates: Iterable[Keyed], rule: RateRule) -> list[Alert]:
    by_engine: dict[str | None, list[RateCounts]] = defaultdict(list)
    for engine, counts in rates:
        by_engine[engine].append(counts)
    return [
        alert for engine, counts in by_engine.items() for alert in rate_alerts(engine, counts, rule)
    ]
