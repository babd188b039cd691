"""Alerts and failures as messages to a topic, and failures back."""

from msgspec.structs import replace

from schemas.alert import Alert, alert_to_json
from schemas.failure import Failure
from schemas.message import EarlierFailure, Message
from schemas.quantities import from_rfc3339, to_rfc3339
from transforms.rules.publishing import (
    LEFT_OUT,
    MOST_BYTES,
    SHORTENED,
    Publishable,
    cut_text,
    publishable,
)

_MOST_ALERT_BYTES = MOST_BYTES - 10_000
"""Leaves room for an alert's attributes."""

_FAILURE = "failure_"


def announce_alert(alert: Alert, *, ordering_key: str = "") -> Publishable:
    """Make an alert a message: its JSON, and attributes to filter by.

    Of an alert that is too large the texts are cut, and the attribute `shortened` names them.

    Args:
      alert: the alert.
      ordering_key: messages of one key stay in order; empty for no order.
    """
    fitting, shortened = _fitting(alert)
    attributes = {
        "kind": alert.kind.value,
        "record_id": alert.record_id,
        "engine": alert.engine,
        "verdict": alert.verdict,
        "severity": alert.severity.value,
    }
    return publishable(
        alert_to_json(fitting), attributes, shortened=shortened, ordering_key=ordering_key
    )


def announce_failure(failure: Failure, *, with_payload: bool = True) -> Publishable:
    """Make a failure a message: the original bytes and attributes, and what went wrong beside them.

    Args:
      failure: the failure.
      with_payload: whether to hold the original bytes and attributes; without them nothing can be
        replayed.
    """
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
    }
    shortened = () if with_payload else ("data",)
    data, forwarded = (message.payload, message.attributes) if with_payload else (b"", None)
    return publishable(data, attributes, forwarded=forwarded, shortened=shortened)


def message_of_announced(announced: Message) -> Message:
    """Read back the message that failed, which knows of its failure.

    Args:
      announced: a message as `announce_failure` makes it, from wherever it was published.

    Returns:
      The message, byte for byte, with its attributes and its place.

    Raises:
      ValueError: it is no failure, or was published without its bytes, or not with all of them.
    """
    attributes = dict(announced.attributes)
    if "data" in attributes.pop(SHORTENED, "").split(","):
        raise ValueError("the failure was published without all of its original bytes")
    attributes.pop(LEFT_OUT, None)
    ours = {name: attributes.pop(name) for name in announced.attributes if _is_ours(name)}
    try:
        return Message(
            payload=announced.payload,
            attributes=attributes,
            place=ours["failure_source"],
            publish_time_us=from_rfc3339(ours.get("failure_publish_time")),
            earlier=EarlierFailure(
                first_failed_at_us=from_rfc3339(ours["failure_first_at"]) or 0,
                attempts=int(ours["failure_attempts"]),
            ),
        )
    except (KeyError, ValueError):
        raise ValueError("the message is no failure of groundwatch") from None


def _is_ours(name: str) -> bool:
    return name.startswith(_FAILURE)


def _fitting(alert: Alert) -> tuple[Alert, list[str]]:
    """Cut an alert's texts, the longest first, until it fits; says which."""
    claim = alert.worst_claim
    texts = {"answer_text": alert.answer_text or "", "worst_claim": (claim and claim.text) or ""}
    shortened: list[str] = []
    for name in sorted(texts, key=lambda name: len(texts[name]), reverse=True):
        over = len(alert_to_json(alert)) - _MOST_ALERT_BYTES
        if over > 0 and texts[name]:
            alert = _with_text(alert, name, _without_end(texts[name], over))
            shortened.append(name)
    return alert, shortened


def _with_text(alert: Alert, name: str, text: str) -> Alert:
    if name == "answer_text":
        return replace(alert, answer_text=text)
    return replace(alert, worst_claim=alert.worst_claim and replace(alert.worst_claim, text=text))


def _without_end(text: str, size_bytes: int) -> str:
    """Leave out so many bytes at the end; in JSON they take no fewer."""
    return cut_text(text, max(0, len(text.encode()) - size_bytes))
