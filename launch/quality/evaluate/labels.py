"""Read labels of answers: one JSON object a line, or rows of CSV."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.archives import read_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.pipeline.sources.tables import is_csv_name
from groundwatch.schemas import Record
from groundwatch.schemas.answer import Label, LabelSpan
from groundwatch.schemas.quantities import from_rfc3339

_NAMES = ("record_id", "name", "answer_name", "id")
_UNSUPPORTED = frozenset({"low_grounded", "hallucinated", "unsupported", "ungrounded"})
_SUPPORTED = frozenset({"grounded", "supported", "not_a_claim"})
_TRUE_OR_FALSE = {"true": True, "false": False}  # in CSV, where all is text
SUPPORTED, UNSUPPORTED, NOT_A_CLAIM, UNSURE = "supported", "unsupported", "not_a_claim", "unsure"
DECISIONS = (SUPPORTED, UNSUPPORTED, NOT_A_CLAIM, UNSURE)
# How a line begins that `review` writes.
_BEGIN = b'{"record_id":'
_log = logging.getLogger(__name__)


class ReviewDecision(Record, frozen=True, kw_only=True):
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


def answer_label(decisions: Iterable[ReviewDecision]) -> Label | None:
    """Combine the decisions on one answer, in the order of time; None if none says what it is.

    The last decision of a claim or answer counts. An answer with an unsupported claim is
    unsupported, unless the answer was decided later. Of claims without a decision nobody knows,
    unless the answer is supported.
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
    wrong, right = (
        tuple(LabelSpan(*span) for span, label in sorted(claims.items()) if label == wanted)
        for wanted in (UNSUPPORTED, SUPPORTED)
    )
    if answer == UNSUPPORTED and whole != UNSUPPORTED and not wrong:
        answer = whole  # the unsupported claim was taken back
    if answer in {None, UNSURE}:
        return None
    return Label(
        is_unsupported=answer == UNSUPPORTED,
        spans=wrong if any(claims.values()) else None,
        # Who finds a whole answer supported has read all of it.
        supported=None if whole == SUPPORTED else right,
    )


def decided_at_us(decision: ReviewDecision) -> int:
    """Return when a decision was made; 0 for a time that cannot be read, so that others count."""
    try:
        return from_rfc3339(decision.time) or 0
    except ValueError:
        return 0


def read_label_lines(
    lines: Iterable[bytes], path: str, first: int = 1
) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file of labels and their places, from a line number on.

    A torn line, which a full disk or a crash has left, is named in the log and left out.
    """
    for number, line in enumerate(lines, first):
        place = f"{path}, line {number}"
        if line.strip() and not _is_torn(line):
            yield place, line
        elif line.strip():
            _log.warning("%s: was written only in part: its label is left out", place)


def _is_torn(line: bytes) -> bool:
    """Return whether a line is a part of a decision; another one may stand behind it."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _BEGIN in line or _BEGIN.startswith(line.strip())
    return False


class UnreadableLabels(Exception):
    """A line is not a label; the message says where, and what is missing."""


def read_labels(flag: str, paths: Sequence[str], problems: list[str]) -> dict[str, Label]:
    """Read files of labels, local or gs://, by the name of the answer; append to the problems.

    Each JSON object names an answer by ``record_id``, ``name`` or ``id``, and says
    ``"hallucinated": true`` or ``"grounded": true``, or has a ``label``: a verdict's name,
    "hallucinated", "unsupported" or "supported". It may list the ``spans`` that are not supported,
    each as ``[start_byte, end_byte]``. In a CSV file these are columns. Or it is a
    ReviewDecision, which names a ``labeller``. Any other line is a problem, and so is a file that
    cannot be read.

    Of decisions on an answer the last by time counts, in whichever file it is. They go before other
    labels, which have no time, and of which the last counts.
    """
    timeless: dict[str, Label] = {}
    decisions: defaultdict[str, list[ReviewDecision]] = defaultdict(list)
    for path in paths:
        try:
            for found in _read_file(path):
                if isinstance(found, ReviewDecision):
                    decisions[found.record_id].append(found)
                else:
                    name, label = found
                    timeless[name] = label
        except UnreadableLabels as error:
            problems.append(f"--{flag} {error}")
        except OSError as error:
            problems.append(f"--{flag} {path}: {error.strerror or error}")
    decided = {
        name: known
        for name, each in decisions.items()
        if (known := answer_label(sorted(each, key=decided_at_us)))
    }
    return timeless | decided


def _read_file(path: str) -> Iterator[ReviewDecision | tuple[str, Label]]:
    """Read a file of labels; raise UnreadableLabels for a line that is not a label."""
    if is_csv_name(path):
        try:
            for row in read_file(path, are_failures=False):
                yield _label(row.payload, row.place)
        except DamagedArchive as error:
            raise UnreadableLabels(f"{path}: {error}") from None
        return
    with storage.read(path) as stream:
        for place, line in read_label_lines(stream, path):
            try:
                yield msgspec.json.decode(line, type=ReviewDecision)
            except msgspec.MsgspecError:
                yield _label(line, place)


def _label(line: bytes, place: str) -> tuple[str, Label]:
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
        problem = 'its "spans" are not a list of [start_byte, end_byte]'
        raise UnreadableLabels(f"{place}: {problem}") from None
    return name, Label(is_unsupported=is_unsupported, spans=spans)


def _is_unsupported(fields: Mapping[str, Any], place: str) -> bool:
    for name, meaning in (("hallucinated", True), ("grounded", False)):
        said = fields.get(name)
        said = _TRUE_OR_FALSE.get(said.lower()) if isinstance(said, str) else said
        if isinstance(said, bool):
            return said == meaning
    word = str(fields.get("label")).lower()
    if word not in _UNSUPPORTED | _SUPPORTED:
        # A bare true or 1 means grounded to some and hallucinated to others.
        raise UnreadableLabels(
            f"{place}: does not say whether the answer is supported; it needs"
            ' "hallucinated": true or false, or "grounded", or a "label" out of'
            f" {', '.join(sorted(_UNSUPPORTED | _SUPPORTED))}"
        )
    return word in _UNSUPPORTED
