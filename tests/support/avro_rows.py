"""Convert enriched records to the rows that fastavro reads and writes."""

from typing import Any

import msgspec

from groundwatch.schemas.enriched_answer import EnrichedAnswer


def enriched_to_avro(enriched: EnrichedAnswer) -> dict[str, Any]:
    """Convert a record to an Avro row: the same fields, with times as microseconds."""
    row: dict[str, Any] = msgspec.to_builtins(enriched)
    row["event_time"] = row.pop("event_time_us")
    if check := row["check"]:
        check["checked_at"] = check.pop("checked_at_us")
    return row
