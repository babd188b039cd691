"""Reading what people said of answers: one JSON object a line."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pipeline import storage
from schemas.answer import Label, LabelSpan

_NAMES = ("record_id", "name", "answer_name", "id")
_UNSUPPORTED = frozenset({"low_grounded", "hallucinated", "unsupported", "ungrounded"})
_SUPPORTED = frozenset({"grounded", "supported"})


class UnreadableLabels(Exception):
    """A file of labels that is none; the message says where and what is missing."""


def read_labels(path: str) -> dict[str, Label]:
    """Read a file of labels.

    Args:
      path: JSON lines, local or gs://. Each object names an answer by ``record_id``, ``name`` or
        ``id``, and says ``"hallucinated": true`` or ``"grounded": true``, or has a ``label``:
        a verdict's name, "hallucinated", "unsupported" or "supported". It may list the ``spans``
        that are not supported, each as ``[start_byte, end_byte, kind]``.

    Returns:
      By name, what was said of the answer.

    Raises:
      UnreadableLabels: a line does not say which answer is meant, or what it is.
      OSError: the file is not there or cannot be read.
    """
    labels: dict[str, Label] = {}
    with storage.read(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                name, label = _label(line, f"{path}, line {number}")
                labels[name] = label
    return labels


def gather_labels(flag: str, paths: Sequence[str], problems: list[str]) -> dict[str, Label]:
    """Read several files of labels; of two labels of one name the last counts.

    Args:
      flag: the option that names them, for what is wrong.
      paths: the files, local or gs://.
      problems: what is wrong is added to it.
    """
    labels: dict[str, Label] = {}
    for path in paths:
        try:
            labels |= read_labels(path)
        except UnreadableLabels as error:
            problems.append(f"--{flag} {error}")
        except OSError as error:
            problems.append(f"--{flag} {path}: {error.strerror or error}")
    return labels


def _label(line: bytes, place: str) -> tuple[str, Label]:
    try:
        members = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise UnreadableLabels(f"{place}: is no JSON object") from None
    names = (members[name] for name in _NAMES if isinstance(members.get(name), str))
    name = next(names, None)
    if name is None:
        raise UnreadableLabels(f"{place}: names no answer; it needs one of {', '.join(_NAMES)}")
    return name, Label(
        is_unsupported=_is_unsupported(members, place), spans=_spans(members.get("spans"), place)
    )


def _spans(spans: object, place: str) -> tuple[LabelSpan, ...] | None:
    try:
        return msgspec.convert(spans, tuple[LabelSpan, ...] | None)
    except msgspec.ValidationError:
        raise UnreadableLabels(
            f'{place}: its "spans" are no list of [start_byte, end_byte, kind]'
        ) from None


def _is_unsupported(members: Mapping[str, Any], place: str) -> bool:
    if isinstance(members.get("hallucinated"), bool):
        return bool(members["hallucinated"])
    if isinstance(members.get("grounded"), bool):
        return not members["grounded"]
    label = members.get("label")
    word = label.lower() if isinstance(label, str) else None
    if word not in _UNSUPPORTED | _SUPPORTED:
        # A bare true or 1 means grounded to some and hallucinated to others.
        raise UnreadableLabels(
            f"{place}: does not say whether the answer is supported; it needs"
            ' "hallucinated": true or false, or "grounded", or a "label" out of'
            f" {', '.join(sorted(_UNSUPPORTED | _SUPPORTED))}"
        )
    return word in _UNSUPPORTED
