"""The sinks of the main page: enriched records, alerts and failures."""

from functools import partial

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sinks.batch_results import KeepInBatch
from pipeline.sinks.destination import Destination
from pipeline.sinks.publish_rows import PublishRows
from pipeline.sinks.row_formats import AlertFiles, EnrichedFiles, FailureFiles, RowFormat
from pipeline.sinks.write_files import WriteFiles
from schemas.alert import Alert
from schemas.enriched_answer import EnrichedAnswer
from schemas.failure import Failure
from transforms.rules.redaction import TextMode
from transforms.rules.topic_messages import encode_alert, encode_failure


def row_formats(
    destination: Destination, text_mode: TextMode, *, with_payload: bool
) -> tuple[RowFormat, ...]:
    """How each kind of a run's rows is laid out."""
    return (
        EnrichedFiles(text_mode, destination.run),
        AlertFiles(),
        FailureFiles(with_payload=with_payload),
    )


class WriteEnriched(beam.PTransform):
    """Write enriched records as Avro, by event date.

    Input: PCollection[EnrichedAnswer], bounded or not.
    Output: nothing.
    Failures: those of `WriteFiles`.
    Delivery: exactly once in the files, as `WriteFiles` tells.

    Args:
      destination: output folder and run.
      text_mode: how much of the texts is kept.
    """

    def __init__(self, destination: Destination, text_mode: TextMode) -> None:
        super().__init__()
        self.destination = destination
        self.text_mode = text_mode

    def expand(self, enriched: PCollection[EnrichedAnswer]) -> PDone:
        """Apply the step."""
        row_format = EnrichedFiles(self.text_mode, self.destination.run)
        return (enriched,) | "WriteAvro" >> WriteFiles(self.destination, row_format)


class PublishAlerts(beam.PTransform):
    """Write alerts as lines of JSON, or to a topic, or keep them with the batch.

    Input: PCollections[Alert], bounded or not: those of answers and those of rates.
    Output: nothing.
    Failures: those of `WriteFiles` and `PublishRows`.
    Delivery: exactly once in files, at least once to a topic.

    Args:
      destination: output folder and run, or topic.
    """

    def __init__(self, destination: Destination) -> None:
        super().__init__()
        self.destination = destination

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, alerts: tuple[PCollection[Alert], ...]) -> PDone:
        """Apply the step."""
        if self.destination.batch and self.destination.announces:
            return alerts | "KeepAlerts" >> KeepInBatch(self.destination.batch, "alerts")
        if self.destination.alert_topic:
            publish = PublishRows(self.destination.alert_topic, AlertFiles.kind, encode_alert)
            return alerts | "PublishMessages" >> publish
        return alerts | "WriteLines" >> WriteFiles(self.destination, AlertFiles())


class WriteFailures(beam.PTransform):
    """Write failures as lines of JSON, or to a topic, or keep them with the batch.

    Input: PCollections[Failure], bounded or not: those of each step that can fail.
    Output: nothing.
    Failures: those of `WriteFiles` and `PublishRows`.
    Delivery: exactly once in files, at least once to a topic.

    Args:
      destination: output folder and run, or topic.
      with_payload: whether the original bytes are kept, without which nothing can be replayed.
    """

    def __init__(self, destination: Destination, *, with_payload: bool) -> None:
        super().__init__()
        self.destination = destination
        self.with_payload = with_payload

    @no_annotations  # as above
    def expand(self, failures: tuple[PCollection[Failure], ...]) -> PDone:
        """Apply the step."""
        if self.destination.batch and self.destination.announces:
            return failures | "KeepFailures" >> KeepInBatch(self.destination.batch, "failures")
        if self.destination.failure_topic:
            announce = partial(encode_failure, with_payload=self.with_payload)
            publish = PublishRows(self.destination.failure_topic, FailureFiles.kind, announce)
            return failures | "PublishMessages" >> publish
        row_format = FailureFiles(with_payload=self.with_payload)
        return failures | "WriteLines" >> WriteFiles(self.destination, row_format)
