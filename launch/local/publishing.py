"""From the parts of all segments to the files that the world sees."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sinks.manifest import check_manifest, file_entry, write_manifest
from pipeline.sinks.part_files import OpenPart, Part, cut_to_files, join_parts
from pipeline.sinks.row_formats import AlertFiles, RowFormat, row_formats
from schemas.alert import Alert
from schemas.file_entry import FileEntry
from transforms.measure_rates import EngineCounts
from transforms.rules.burn_rate import RateRule
from transforms.rules.rate_counts import RateCounts
from transforms.rules.rate_incidents import find_rate_alerts


def publish(config: Config, parts: Iterable[Part], rates: Iterable[EngineCounts]) -> dict[str, int]:
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
        row_format.kind: _publish_kind(config, row_format, by_kind[row_format.kind])
        for row_format in row_formats(config)
    }


def _publish_kind(config: Config, row_format: RowFormat, parts: Iterable[Part]) -> int:
    destination = config.destination
    by_folder: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_folder[part.folder].append(part)
    entries = [
        _publish_file(config, row_format, shard, group)
        for grouped in by_folder.values()
        for shard, group in enumerate(cut_to_files(grouped, destination.file_bytes))
    ]
    write_manifest(entries, destination, row_format)
    return check_manifest(destination, row_format)


def _publish_file(
    config: Config, row_format: RowFormat, shard: int, parts: Sequence[Part]
) -> FileEntry:
    # On disk even for a bucket, whose objects are there at once and whole.
    joined = join_parts(parts, row_format, _work_path(config, "joined", row_format))
    path = config.destination.file_path(joined.folder, shard, row_format.extension)
    storage.publish(joined.path, config.destination.path(path))
    return file_entry(joined, path)


def _work_path(config: Config, name: str, row_format: RowFormat) -> str:
    return storage.join(str(config.work_folder), f"{name}.{row_format.extension}")


def _rate_alert_parts(config: Config, rates: Iterable[EngineCounts]) -> list[Part]:
    """Write the alerts that only all segments together can raise."""
    alerts = _rate_alerts(rates, config.rates)
    if not alerts:
        return []
    row_format = AlertFiles()
    part = OpenPart(_work_path(config, "rates", row_format), row_format.kind, row_format)
    for alert in alerts:
        part.write(alert)
    return [part.close()]


def _rate_alerts(rates: Iterable[EngineCounts], rule: RateRule) -> list[Alert]:
    by_engine: dict[str | None, list[RateCounts]] = defaultdict(list)
    for engine, counts in rates:
        by_engine[engine].append(counts)
    return [
        alert
        for engine, counts in by_engine.items()
        for alert in find_rate_alerts(engine, counts, rule)
    ]
