"""Enriched records as rows of `enriched_answer.avsc`."""

from typing import Any

from msgspec.structs import asdict

from schemas.enriched import EnrichedAnswer


def enriched_to_avro(enriched: EnrichedAnswer) -> dict[str, Any]:
    """Write a record as an Avro row: the same fields, times as microseconds."""
    row = asdict(enriched)
    row["event_time"] = row.pop("event_time_us")
    row["safety_ratings"] = [asdict(rating) for rating in enriched.safety_ratings]
    row["claims"] = [asdict(claim) for claim in enriched.claims]
    row["facts"] = [asdict(fact) for fact in enriched.facts]
    if enriched.check is not None:
        check = asdict(enriched.check)
        check["checked_at"] = check.pop("checked_at_us")
        row["check"] = check
    return row
