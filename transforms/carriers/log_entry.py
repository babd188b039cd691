"""Cloud Logging's LogEntry, as a log sink writes it to Pub/Sub, Cloud Storage or BigQuery.

Source: https://docs.cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry
"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import words
from transforms.carriers.carrier import Carried, Carrier, text_attributes

_PAYLOADS = words("jsonPayload textPayload protoPayload")


def _unwrap(entry: Mapping[str, Any]) -> Iterator[Carried]:
    names = [name for name in _PAYLOADS if entry.get(name)]
    if not names:
        raise UnreadableAnswer("The log entry has no payload: let only entries with one pass.")
    body = entry[names[0]]
    if isinstance(body, str) and not body.lstrip().startswith(("{", "[")):
        raise UnreadableAnswer(
            "The log entry's textPayload is not JSON: write the answer as jsonPayload, or let only"
            " the chatbot's entries pass the sink's filter."
        )
    identity = [str(entry[name]) for name in ("logName", "timestamp", "insertId") if name in entry]
    yield Carried(
        body=body,
        attributes=text_attributes(
            groundwatch_carrier_id=" ".join(identity) if "insertId" in entry else "",
            groundwatch_carrier_time=entry.get("timestamp") or entry.get("receiveTimestamp"),
            trace_id=str(entry.get("trace", "")).rpartition("/")[2],
            span_id=entry.get("spanId"),
        ),
    )


LOG_ENTRY = Carrier(
    name="LogEntry",
    marks=frozenset({"logName"}),
    fields=frozenset(
        words("""
            logName resource timestamp receiveTimestamp severity insertId httpRequest labels
            metadata operation trace spanId traceSampled sourceLocation split errorGroups apphub
            apphubDestination apphubSource otel
        """)
    ).union(_PAYLOADS),
    detects=lambda entry: not {"insertId", *_PAYLOADS}.isdisjoint(entry),
    unwrap=_unwrap,
)
