"""WriteTable: append enriched records to a table of BigQuery."""

import logging
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sinks.table_rows import table_columns, table_row
from schemas.enriched_answer import EnrichedAnswer
from transforms.rules.redaction import TextMode
from transforms.runtime import counters

_log = logging.getLogger(__name__)


class WriteTable(beam.PTransform):
    """Append enriched records to a BigQuery table by the Storage Write API.

    Input: a tuple of PCollections of enriched records, unbounded.
    Output: nothing.
    Failures: a row that BigQuery refuses is counted, and logged by its record_id; the record is in
      the files. A table that does not exist fails the bundle, which the runner retries.
    Delivery: at least once; the view in launch/bigquery drops repeated rows.

    Args:
      table: ``PROJECT:DATASET.TABLE`` with the columns of launch/bigquery.
      text: how much of the texts is kept.
      expansion_service: ``HOST:PORT``; None starts Beam's own, with Java.

    Source: https://cloud.google.com/bigquery/docs/write-api
    """

    def __init__(self, table: str, text: TextMode, expansion_service: str | None = None) -> None:
        super().__init__()
        self.table = table
        self.expansion_service = expansion_service
        self.to_row = beam.Map(_to_row, text=text)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[EnrichedAnswer], ...]) -> PDone:
        """Apply the step."""
        # Only installed with groundwatch[dataflow].
        from apache_beam.io.gcp.bigquery import (  # noqa: PLC0415
            BigQueryDisposition,
            WriteToBigQuery,
        )

        written = (
            inputs
            | "JoinRecords" >> beam.Flatten()
            | "ToRow" >> self.to_row
            | "Append"
            >> WriteToBigQuery(
                self.table,
                schema={"fields": table_columns()},
                method=WriteToBigQuery.Method.STORAGE_WRITE_API,
                create_disposition=BigQueryDisposition.CREATE_NEVER,
                use_at_least_once=True,
                expansion_service=self.expansion_service,
            )
        )
        return written.failed_rows | "LogRefused" >> beam.Map(_log_refused)


def _to_row(record: EnrichedAnswer, text: TextMode) -> dict[str, Any]:
    counters.written("table_rows").inc()
    return table_row(record, text)


def _log_refused(row: dict[str, Any]) -> None:
    counters.written("refused_table_rows").inc()
    _log.error("BigQuery refuses the row of record %s", row["record_id"])
