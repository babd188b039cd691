"""Encode alerts and failures as Pub/Sub messages.

Source: https://cloud.google.com/pubsub/quotas#resource_limits
"""

from collections.abc import Iterable, Mapping
from itertools import islice

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, alert_to_json
from groundwatch.schemas.failure import Failure, without_payload
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.transforms.rules.spans import truncate, truncate_bytes

SHORTENED = "shortened"  # the attribute that lists what was truncated
LEFT_OUT = "left_out"  # the attribute that counts the dropped attributes
# The request around the message, with the topic's name, must stay within 10,000,000.
MAX_MESSAGE_BYTES = 9_998_000
MAX_DATA_BYTES = MAX_MESSAGE_BYTES - 10_000  # leaves space for groundwatch's own attributes
_MAX_ATTRIBUTES = 100
_MAX_NAME_BYTES = 256
_MAX_VALUE_BYTES = 1_024
# More than the protocol adds to an attribute, to the data and to the ordering key.
_FRAME_BYTES = 16
_NOTES = frozenset({SHORTENED, LEFT_OUT})
_NOTES_BYTES = sum(len(name) + _MAX_VALUE_BYTES + _FRAME_BYTES for name in _NOTES)
# Arguments of the official client's `publish`, which takes attributes as keywords. Beam's
# WriteToPubSub passes them on (`io/gcp/pubsub.py`): `topic` fails a pipeline, `retry` hangs it.
_RESERVED_NAMES = frozenset({"self", "topic", "data", "ordering_key", "retry", "timeout"})
_RESERVED_PREFIX = "goog"


class TopicMessage(Record, frozen=True, kw_only=True):
    """A message within the limits of Pub/Sub, its official client and Beam's WriteToPubSub."""

    data: bytes
    attributes: dict[str, str]
    ordering_key: str = ""


def is_attribute_name(name: str) -> bool:
    """Return whether Pub/Sub and its clients accept an attribute name: 1 to 256 bytes."""
    is_free = name not in _RESERVED_NAMES and not name.startswith(_RESERVED_PREFIX)
    return is_free and 1 <= len(name.encode()) <= _MAX_NAME_BYTES


def build_message(
    data: bytes,
    attributes: Mapping[str, str | None],
    *,
    forwarded: Mapping[str, str] | None = None,
    shortened: Iterable[str] = (),
    ordering_key: str = "",
) -> TopicMessage:
    """Build a message within the limits; its attributes list what was truncated or dropped.

    Values over 1,024 bytes are truncated, and so is data that does not fit; UTF-8 text at the end
    of a character. Of `forwarded`, the attributes of another message, invalid and duplicate names
    are dropped, and those over 100. `shortened` lists what was truncated before.

    Raises:
      ValueError: one of `attributes` has an invalid name.
    """
    for name in attributes:
        if not is_attribute_name(name) or name in _NOTES:
            raise ValueError(f"no attribute of a Pub/Sub message may be named {name[:99]!r}")
    own = {name: value for name, value in attributes.items() if value is not None}
    accepted = (
        (name, value)
        for name, value in (forwarded or {}).items()
        if is_attribute_name(name) and name not in own and name not in _NOTES
    )
    kept = dict(islice(accepted, max(0, _MAX_ATTRIBUTES - len(_NOTES) - len(own))))
    complete = {**own, **kept}
    fitting = {name: truncate(value, _MAX_VALUE_BYTES) for name, value in complete.items()}
    ordering_key = truncate(ordering_key, _MAX_VALUE_BYTES)
    sizes = (len(name.encode()) + len(value.encode()) for name, value in fitting.items())
    size = sum(sizes) + _FRAME_BYTES * (len(fitting) + 2) + len(ordering_key.encode())
    max_data_bytes = MAX_MESSAGE_BYTES - _NOTES_BYTES - size
    short = [*shortened, *(name for name in fitting if fitting[name] != complete[name])]
    short += ["data"] * (len(data) > max_data_bytes)
    if short:
        fitting[SHORTENED] = truncate(",".join(short), _MAX_VALUE_BYTES)
    if dropped := len(forwarded or {}) - len(kept):
        fitting[LEFT_OUT] = str(dropped)
    return TopicMessage(
        data=truncate_bytes(data, max_data_bytes), attributes=fitting, ordering_key=ordering_key
    )


def encode_alert(alert: Alert, *, ordering_key: str = "") -> TopicMessage:
    """Encode an alert as JSON with attributes for filters; truncate the texts of a large one."""
    fitting, shortened = _truncate_texts(alert)
    attributes = {
        "kind": alert.kind.value,
        "record_id": alert.record_id,
        "engine": alert.engine,
        "verdict": alert.verdict,
        "severity": alert.severity.value,
    }
    return build_message(
        alert_to_json(fitting), attributes, shortened=shortened, ordering_key=ordering_key
    )


def encode_failure(failure: Failure, *, with_payload: bool = True) -> TopicMessage:
    """Encode a failure as attributes, with the original message unless it is not wanted."""
    failure = failure if with_payload else without_payload(failure)
    message = failure.message
    attributes = {
        "failure_step": failure.step,
        "failure_error_class": failure.error_class,
        "failure_error": failure.error,
        "failure_retryable": "true" if failure.retryable else "false",
        "failure_attempts": str(failure.attempts),
        "failure_first_at": to_rfc3339(failure.first_failed_at_us),
        "failure_last_at": to_rfc3339(failure.last_failed_at_us),
        "failure_source": message.answer_place,
        "failure_publish_time": to_rfc3339(message.publish_time_us),
        "failure_record_id": failure.record_id,
        "failure_trace_id": failure.trace_id,
        "failure_span_id": failure.span_id,
        "failure_response_id": failure.response_id,
    }
    if not with_payload:
        return build_message(b"", attributes, shortened=("data",))
    return build_message(message.payload, attributes, forwarded=message.attributes)


def _truncate_texts(alert: Alert) -> tuple[Alert, list[str]]:
    """Truncate an alert's texts, the longest first, until it fits or they are empty.

    Returns the names of those that were truncated, too.
    """
    claim = alert.worst_claim
    texts = {"answer_text": alert.answer_text or "", "worst_claim": (claim and claim.text) or ""}
    shortened: list[str] = []
    for name in sorted(texts, key=lambda name: len(texts[name]), reverse=True):
        # Text takes at least as many bytes in JSON, so cutting these is enough.
        excess = len(alert_to_json(alert)) - MAX_DATA_BYTES
        if excess > 0 and texts[name]:
            text = truncate(texts[name], max(0, len(texts[name].encode()) - excess))
            shorter = replace(claim, text=text) if claim and name == "worst_claim" else text
            alert = replace(alert, **{name: shorter})
            shortened.append(name)
    return alert, shortened
