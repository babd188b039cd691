"""Choose where the rows of a pipeline go: one sink for each way to run it."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import apache_beam as beam

from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sources.read_batch import BatchHandle
from groundwatch.schemas.failure import without_payload
from groundwatch.transforms.rate_alerts import RateAlerts
from groundwatch.transforms.rules.alerting import grounding_result
from .collect import Collect, CollectRows
from .outcomes import deferred_answer
from .publish_rows import PublishRows
from .row_formats import encode_enriched, row_formats
from .topic_messages import encode_alert, encode_failure
from .write_files import WriteFiles
from .write_windows import Windows, WriteWindows


class Sink(NamedTuple):
    """The last steps of a pipeline, each of a tuple of PCollections.

    But `rate_alerts` turns one of the counts of answers into alerts, if the counts are complete.
    `deferred` keeps answers that were neither checked nor failed; else the next run reads them.
    `further` steps, by their labels, keep or send what other tools receive of enriched records.
    """

    enriched: beam.PTransform
    alerts: beam.PTransform
    failures: beam.PTransform
    rate_alerts: beam.PTransform
    deferred: beam.PTransform | None = None
    further: Mapping[str, beam.PTransform] = {}


def archive_sink(config: Config) -> Sink:
    """Write final files and a manifest: a bounded run on an engine."""
    enriched, alerts, failures = (
        WriteFiles(config.destination, row_format) for row_format in row_formats(config)
    )
    return Sink(enriched, alerts, failures, RateAlerts(config.rates))


def stream_sink(
    config: Config,
    windows: Windows,
    alert_topic: str | None = None,
    failure_topic: str | None = None,
    enriched_topic: str | None = None,
) -> Sink:
    """Write the files of each window, and publish alerts and failures if they have a topic."""
    formats = row_formats(config)
    enriched, alerts, failures = (
        WriteWindows(config.destination, windows, row_format) for row_format in formats
    )
    further = {}
    if alert_topic:
        alerts = PublishRows(alert_topic, formats.alerts.kind, encode_alert)
    if failure_topic:
        encode = partial(encode_failure, with_payload=config.failure_payload)
        failures = PublishRows(failure_topic, formats.failures.kind, encode)
    if enriched_topic:
        encode_record = partial(encode_enriched, text=config.text)
        further["PublishEnriched"] = PublishRows(enriched_topic, "enriched_messages", encode_record)
    rate_alerts = RateAlerts(config.rates, is_stream=True)
    return Sink(enriched, alerts, failures, rate_alerts, further=further)


def engine_sink(config: Config, batches: BatchHandle) -> Sink:
    """Collect the outcome of a batch in this process: a run or a worker on one machine."""
    redact = None if config.failure_payload else without_payload
    further = {}
    if config.keeps_results:
        convert = partial(grounding_result, with_text=config.alerts.with_text)
        further["KeepResults"] = Collect(CollectRows(batches, "results", convert))
    if config.publishes_enriched:
        encode = partial(encode_enriched, text=config.text)
        further["KeepMessages"] = Collect(CollectRows(batches, "messages", encode))
    row_format = row_formats(config).enriched
    return Sink(
        enriched=Collect(CollectRows(batches, "chunks", row_format=row_format)),
        alerts=Collect(CollectRows(batches, "alerts")),
        failures=Collect(CollectRows(batches, "failures", redact)),
        rate_alerts=beam.ParDo(CollectRows(batches, "rates")),
        deferred=Collect(CollectRows(batches, "deferred", deferred_answer)),
        further=further,
    )
