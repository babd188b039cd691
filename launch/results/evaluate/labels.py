"""Read labels of answers: one JSON object a line."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from groundwatch.pipeline import storage
from groundwatch.schemas import Record
from groundwatch.schemas.answer import Label, LabelSpan

_NAMES = ("record_id", "name", "answer_name", "id")
_UNSUPPORTED = frozenset({"low_grounded", "hallucinated", "unsupported", "ungrounded"})
_SUPPORTED = frozenset({"grounded", "supported", "not_a_claim"})
SUPPORTED, UNSUPPORTED, NOT_A_CLAIM, UNSURE = "supported", "unsupported", "not_a_claim", "unsure"
DECISIONS = (SUPPORTED, UNSUPPORTED, NOT_A_CLAIM, UNSURE)


class Decision(Record, frozen=True, kw_only=True):
    """A person's label for an answer, or for a claim of it: a line of what `review` writes.

    Attributes:
      record_id: of the answer.
      span: of the claim, in UTF-8 bytes, end exclusive; None for the whole answer.
      label: one of DECISIONS; None takes the last one back.
      labeller: who decides.
      time: when, as RFC 3339.
      sample: the stratum that the answer was drawn from at random, None if it was chosen.
    """

    record_id: str
    span: tuple[int, int] | None
    label: str | None
    labeller: str
    time: str
    sample: str | None = None


def answer_label(decisions: Iterable[Decision], file: str = "") -> Label | None:
    """Combine the decisions on one answer, in the order of time; None if none says what it is.

    The last decision of a claim or answer counts. An answer with an unsupported claim is
    unsupported, unless the answer was decided later.
    """
    answer: str | None = None
    claims: dict[tuple[int, int], str | None] = {}
    whole: str | None = None
    for each in decisions:
        if each.span is None:
            answer = whole = each.label
        else:
            claims[each.span] = each.label
            answer = UNSUPPORTED if each.label == UNSUPPORTED else answer
    wrong = [LabelSpan(*span) for span, label in sorted(claims.items()) if label == UNSUPPORTED]
    if answer == UNSUPPORTED and whole != UNSUPPORTED and not wrong:
        answer = whole  # the unsupported claim was taken back
    if answer in {None, UNSURE}:
        return None
    spans = tuple(wrong) if any(claims.values()) else None
    return Label(is_unsupported=answer == UNSUPPORTED, file=file, spans=spans)


def read_decisions(path: str) -> list[Decision]:
    """Read a file of decisions, local or gs://; raise UnreadableLabels for any other line."""
    decisions = []
    with storage.read(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                if line.strip():
                    decisions.append(msgspec.json.decode(line, type=Decision))
            except msgspec.MsgspecError:
                problem = "is no label that `groundwatch review` writes"
                raise UnreadableLabels(f"{path}, line {number}: {problem}") from None
    return decisions


class UnreadableLabels(Exception):
    """A line is not a label; the message says where, and what is missing."""


def read_labels(path: str) -> dict[str, Label]:
    """Read a file of labels, local or gs://, by the name of the answer.

    Each JSON object names an answer by ``record_id``, ``name`` or ``id``, and says
    ``"hallucinated": true`` or ``"grounded": true``, or has a ``label``: a verdict's name,
    "hallucinated", "unsupported" or "supported". It may list the ``spans`` that are not supported,
    each as ``[start_byte, end_byte, kind]``. Or it is a Decision, which names a ``labeller``.
    Raises UnreadableLabels for any other line.
    """
    labels: dict[str, Label] = {}
    decisions: dict[str, list[Decision]] = {}
    with storage.read(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                decision = msgspec.json.decode(line, type=Decision)
            except msgspec.MsgspecError:
                name, label = _label(line, path, number)
                labels[name] = label
            else:
                decisions.setdefault(decision.record_id, []).append(decision)
    decided = {name: answer_label(each, path) for name, each in decisions.items()}
    return labels | {name: label for name, label in decided.items() if label}


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
