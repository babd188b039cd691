"""Choose where the rows of a pipeline go: one sink for each way to run it."""

from collections.abc import Mapping
from functools import partial

import apache_beam as beam

from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.collect import Collect, CollectRows
from groundwatch.pipeline.sinks.outcomes import deferred_answer
from groundwatch.pipeline.sinks.publish_rows import PublishRows
from groundwatch.pipeline.sinks.row_formats import encode_enriched, row_formats
from groundwatch.pipeline.sinks.topic_messages import encode_alert, encode_failure
from groundwatch.pipeline.sinks.write_files import WriteFiles
from groundwatch.pipeline.sinks.write_windows import Windows, WriteWindows
from groundwatch.pipeline.sources.read_batch import BatchHandle
from groundwatch.schemas.failure import without_payload
from groundwatch.transforms.rate_alerts import RateAlerts
from groundwatch.transforms.rules.alerting import grounding_result


class Sink:
    """The last steps of a pipeline, each of a tuple of PCollections.

    But `rate_alerts` turns one of the counts of answers into alerts, if the counts are complete.
    `deferred` keeps answers that were neither checked nor failed; else the next run reads them.
    `further` steps, by their labels, keep or send what other tools receive of enriched records.
    """

    enriched: beam.PTransform
    rate_alerts: beam.PTransform
    alerts: beam.PTransform
    failures: beam.PTransform
    deferred: beam.PTransform | None = None
    further: Mapping[str, beam.PTransform] = {}


class ArchiveSink(Sink):
    """Write final files and a manifest: a bounded run on an engine."""

    def __init__(self, config: Config) -> None:
        self.enriched, self.alerts, self.failures = (
            WriteFiles(config.destination, row_format) for row_format in row_formats(config)
        )
        self.rate_alerts = RateAlerts(config.rates)


class StreamSink(Sink):
    """Write the files of each window, and publish alerts and failures if they have a topic."""

    def __init__(
        self,
        config: Config,
        windows: Windows,
        alert_topic: str | None = None,
        failure_topic: str | None = None,
        enriched_topic: str | None = None,
    ) -> None:
        formats = row_formats(config)
        self.enriched, self.alerts, self.failures = (
            WriteWindows(config.destination, windows, row_format) for row_format in formats
        )
        self.rate_alerts = RateAlerts(config.rates, is_stream=True)
        if alert_topic:
            self.alerts = PublishRows(alert_topic, formats.alerts.kind, encode_alert)
        if failure_topic:
            encode = partial(encode_failure, with_payload=config.failure_payload)
            self.failures = PublishRows(failure_topic, formats.failures.kind, encode)
        self.further = {}
        if enriched_topic:
            encode_record = partial(encode_enriched, text=config.text)
            publish = PublishRows(enriched_topic, "enriched_messages", encode_record)
            self.further["PublishEnriched"] = publish


class EngineSink(Sink):
    """Collect the outcome of a batch in this process: a run or a worker on one machine."""

    def __init__(self, config: Config, batches: BatchHandle) -> None:
        formats = row_formats(config)
        self.enriched = Collect(CollectRows(batches, "chunks", row_format=formats.enriched))
        self.rate_alerts = beam.ParDo(CollectRows(batches, "rates"))
        self.alerts = Collect(CollectRows(batches, "alerts"))
        redact = None if config.failure_payload else without_payload
        self.failures = Collect(CollectRows(batches, "failures", redact))
        self.deferred = Collect(CollectRows(batches, "deferred", deferred_answer))
        self.further = {}
        if config.keeps_results:
            convert = partial(grounding_result, with_text=config.alerts.with_text)
            self.further["KeepResults"] = Collect(CollectRows(batches, "results", convert))
        if config.publishes_enriched:
            encode = partial(encode_enriched, text=config.text)
            self.further["KeepMessages"] = Collect(CollectRows(batches, "messages", encode))
