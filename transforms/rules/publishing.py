"""What a message to a topic may look like, and how one that is too large is made to fit.

Source: https://cloud.google.com/pubsub/quotas#resource_limits
"""

from collections.abc import Iterable, Mapping

from schemas import Record
from transforms.rules.stretches import is_boundary

SHORTENED = "shortened"
"""The attribute that names, by commas, what was shortened: attributes, or parts of the data."""

LEFT_OUT = "left_out"
"""The attribute that counts the attributes for which there was no place."""

MOST_BYTES = 9_998_000
"""Of a message; the request around it, with the topic's name, has to stay within 10,000,000."""

_MOST_ATTRIBUTES = 100
_MOST_NAME_BYTES = 256
_MOST_VALUE_BYTES = 1_024
_FRAME_BYTES = 16
"""More than the wire adds to an attribute, to the data and to the ordering key."""

_REMARKS = frozenset({SHORTENED, LEFT_OUT})
_REMARKS_BYTES = sum(len(name) + _MOST_VALUE_BYTES + _FRAME_BYTES for name in _REMARKS)
_TAKEN = frozenset({"self", "topic", "data", "ordering_key", "retry", "timeout"})
"""Arguments of the official client's `publish`, as attributes are. Beam's WriteToPubSub passes them
on (`io/gcp/pubsub.py`): `topic` kills a pipeline, `retry` and `timeout` hang it."""

_GOOGLES = "goog"
_MOST_CHARACTER_BYTES = 4


class Publishable(Record, frozen=True, kw_only=True):
    """A message that Pub/Sub, its official client and Beam's WriteToPubSub take as it is.

    Attributes:
      data: the bytes.
      attributes: for filters and readers.
      ordering_key: messages of one key stay in order; empty for no order.
    """

    data: bytes
    attributes: dict[str, str]
    ordering_key: str = ""


def is_attribute_name(name: str) -> bool:
    """Tell whether an attribute may have this name: 1 to 256 bytes, and nobody else's."""
    is_free = name not in _TAKEN and not name.startswith(_GOOGLES)
    return is_free and 1 <= len(name.encode()) <= _MOST_NAME_BYTES


def publishable(
    data: bytes,
    attributes: Mapping[str, str | None],
    *,
    forwarded: Mapping[str, str] | None = None,
    shortened: Iterable[str] = (),
    ordering_key: str = "",
) -> Publishable:
    """Make a message that fits, and that says in its attributes where it had to be shortened.

    Values over 1,024 bytes are cut, and so is data for which there is no place, at the end of a
    character where they are UTF-8.

    Args:
      data: the bytes.
      attributes: by name; None leaves one out.
      forwarded: attributes of somebody else's making. Those whose names cannot be, or are used
        already, or for which there is no place among 100, are left out.
      shortened: what was shortened before.
      ordering_key: as in `Publishable`.

    Raises:
      ValueError: one of `attributes` has a name that cannot be.
    """
    for name in attributes:
        if not is_attribute_name(name) or name in _REMARKS:
            raise ValueError(f"no attribute of a Pub/Sub message may be named {name[:99]!r}")
    own = {name: value for name, value in attributes.items() if value is not None}
    kept = _with_a_place(forwarded or {}, own)
    whole = {**own, **kept}
    fitting = {name: cut_text(value, _MOST_VALUE_BYTES) for name, value in whole.items()}
    ordering_key = cut_text(ordering_key, _MOST_VALUE_BYTES)
    room = MOST_BYTES - _REMARKS_BYTES - _size(fitting) - len(ordering_key.encode())
    short = [*shortened, *(name for name in fitting if fitting[name] != whole[name])]
    short += ["data"] * (len(data) > room)
    if short:
        fitting[SHORTENED] = cut_text(",".join(short), _MOST_VALUE_BYTES)
    if left_out := len(forwarded or {}) - len(kept):
        fitting[LEFT_OUT] = str(left_out)
    return Publishable(data=cut(data, room), attributes=fitting, ordering_key=ordering_key)


def cut(data: bytes, most_bytes: int) -> bytes:
    """Cut bytes to a size, not within a UTF-8 character."""
    if len(data) <= most_bytes:
        return data
    ends = range(most_bytes, max(-1, most_bytes - _MOST_CHARACTER_BYTES), -1)
    return data[: next((end for end in ends if is_boundary(data, end)), most_bytes)]


def cut_text(text: str, most_bytes: int) -> str:
    """Cut a text to a size in UTF-8."""
    return cut(text.encode(), most_bytes).decode()


def _with_a_place(forwarded: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    places = _MOST_ATTRIBUTES - len(_REMARKS) - len(own)
    fitting = [
        (name, value)
        for name, value in forwarded.items()
        if is_attribute_name(name) and name not in own and name not in _REMARKS
    ]
    return dict(fitting[:places])


def _size(attributes: Mapping[str, str]) -> int:
    sizes = (len(name.encode()) + len(value.encode()) for name, value in attributes.items())
    return sum(sizes) + _FRAME_BYTES * (len(attributes) + 2)
