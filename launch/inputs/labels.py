"""Read labels of answers: one JSON object a line."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pipeline import storage
from schemas.answer import Label, LabelSpan

_NAMES = ("record_id", "name", "answer_name", "id")
_UNSUPPORTED = frozenset({"low_grounded", "hallucinated", "unsupported", "ungrounded"})
_SUPPORTED = frozenset({"grounded", "supported"})


class UnreadableLabels(Exception):
    """A line is not a label; the message says where, and what is missing."""


def read_labels(path: str) -> dict[str, Label]:
    """Read a file of labels, local or gs://, by the name of the answer.

    Each JSON object names an answer by ``record_id``, ``name`` or ``id``, and says
    ``"hallucinated": true`` or ``"grounded": true``, or has a ``label``: a verdict's name,
    "hallucinated", "unsupported" or "supported". It may list the ``spans`` that are not supported,
    each as ``[start_byte, end_byte, kind]``. Raises UnreadableLabels for any other line.
    """
    labels: dict[str, Label] = {}
    with storage.read(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                name, label = _label(line, path, number)
                labels[name] = label
    return labels


def read_all_labels(flag: str, paths: Sequence[str], problems: list[str]) -> dict[str, Label]:
    """Read several files of labels; the last label of a name counts. Append to the problems."""
    labels: dict[str, Label] = {}
    for path in paths:
        try:
            labels |= read_labels(path)
        except UnreadableLabels as error:
            problems.append(f"--{flag} {error}")
        except OSError as error:
            problems.append(f"--{flag} {path}: {error.strerror or error}")
    return labels


def _label(line: bytes, path: str, number: int) -> tuple[str, Label]:
    place = f"{path}, line {number}"
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise UnreadableLabels(f"{place}: is not a JSON object") from None
    name = next((fields[name] for name in _NAMES if isinstance(fields.get(name), str)), None)
    if name is None:
        raise UnreadableLabels(f"{place}: names no answer; it needs one of {', '.join(_NAMES)}")
    is_unsupported = _is_unsupported(fields, place)
    try:
        spans = msgspec.convert(fields.get("spans"), tuple[LabelSpan, ...] | None)
    except msgspec.ValidationError:
        problem = 'its "spans" are not a list of [start_byte, end_byte, kind]'
        raise UnreadableLabels(f"{place}: {problem}") from None
    return name, Label(is_unsupported=is_unsupported, file=path, spans=spans)


def _is_unsupported(fields: Mapping[str, Any], place: str) -> bool:
    if isinstance(fields.get("hallucinated"), bool):
        return bool(fields["hallucinated"])
    if isinstance(fields.get("grounded"), bool):
        return not fields["grounded"]
    word = str(fields.get("label")).lower()
    if word not in _UNSUPPORTED | _SUPPORTED:
        # A bare true or 1 means grounded to some and hallucinated to others.
        raise UnreadableLabels(
            f"{place}: does not say whether the answer is supported; it needs"
            ' "hallucinated": true or false, or "grounded", or a "label" out of'
            f" {', '.join(sorted(_UNSUPPORTED | _SUPPORTED))}"
        )
    return word in _UNSUPPORTED
