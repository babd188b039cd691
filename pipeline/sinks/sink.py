"""Choose where the rows of a pipeline go: one sink for each way to run it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.io import WriteToPubSub
from apache_beam.io.gcp.pubsub import PubsubMessage
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sources.read_batch import BatchHandle
from groundwatch.schemas.failure import without_payload
from groundwatch.transforms.rate_alerts import RateAlerts
from groundwatch.transforms.rules.alerting import grounding_result
from groundwatch.transforms.runtime import counters
from .folder_writer import chunk_writer
from .outcomes import deferred_answer
from .row_formats import RowFormat, encode_enriched, row_formats
from .topic_messages import TopicMessage, encode_alert, encode_failure
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


class PublishRows(beam.PTransform):
    """Publish rows, several collections of one kind to one topic.

    Input: a tuple of PCollections of rows, bounded or not.
    Output: nothing.
    Failures: none of single messages, which are shortened to the limits before. A topic that
      refuses them fails the bundle, which the runner retries.
    Delivery: at least once; a retried bundle publishes again.
    """

    def __init__(self, topic: str, kind: str, encode: Callable[[Any], TopicMessage]) -> None:
        super().__init__()
        self.topic = topic
        self.to_message = beam.Map(_to_message, kind=kind, encode=encode)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        return (
            inputs
            | "JoinRows" >> beam.Flatten()
            | "ToMessage" >> self.to_message
            | "Publish" >> WriteToPubSub(self.topic, with_attributes=True)
        )


def _to_message(row: Any, kind: str, encode: Callable[[Any], TopicMessage]) -> PubsubMessage:
    message = encode(row)
    counters.written(kind).inc()
    return PubsubMessage(message.data, message.attributes)


class Collect(beam.PTransform):
    """Collect rows in the batch that the process holds, under the name of a field of `Outcome`.

    Input: a tuple of PCollections, bounded.
    Output: nothing.
    Failures: none of its own.
    Delivery: each row once, if the batch succeeds.

    Args:
      rows: collects them.
    """

    def __init__(self, rows: "CollectRows") -> None:
        super().__init__()
        self.collect = beam.ParDo(rows)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        # One by one: a Flatten of rows holds them in memory on the local runner.
        for number, rows in enumerate(inputs):
            _ = rows | f"Collect{number}" >> self.collect
        return PDone(inputs[0].pipeline)


class CollectRows(beam.DoFn):
    """Add the rows of a bundle to the batch that the process holds.

    Args:
      batches: holds the batch.
      name: of the field.
      convert: converts each row; None to collect it as it is.
      row_format: encodes the rows as chunks, which are collected instead.
    """

    def __init__(
        self,
        batches: BatchHandle,
        name: str,
        convert: Callable[[Any], Any] | None = None,
        row_format: RowFormat | None = None,
    ) -> None:
        self._batches, self._name = batches, name
        self._convert, self._format = convert, row_format

    def start_bundle(self) -> None:
        self._collected = self._batches.batch.collected[self._name]
        self._writer = chunk_writer(self._format) if self._format else None

    def process(self, row: Any) -> Iterator[Any]:
        """Collect a row; the output is empty."""
        if self._writer:
            self._collected += self._writer.write(row)
        else:
            self._collected.append(self._convert(row) if self._convert else row)
        return iter(())

    def finish_bundle(self) -> None:
        if self._writer:
            self._collected += self._writer.close()
