"""Join what two facts say of two things to one statement about the first of them."""

from collections.abc import Iterable
from typing import NamedTuple

from groundwatch.transforms.changes.english import BEING, HAVING, MODALS, PRONOUNS, read_frame
from groundwatch.transforms.changes.statement import Statement, pick
from groundwatch.transforms.lexical.fact_sentences import stems_of

_MIN_PREDICATE = 3
_MOST_OPTIONS = 40
"""So many others are looked at for each."""


class _Half(NamedTuple):
    """A statement as a subject, and what is said of it."""

    statement: Statement
    subject: str
    verb: str
    predicate: str

    @property
    def key(self) -> tuple[int, str]:
        """The same of all that it may be joined with: the group, and the form of the verb."""
        verb = self.verb
        if verb in MODALS or verb == "had":
            return self.statement.source.group, "any number"
        is_plural = verb in BEING | HAVING and verb not in {"is", "was", "has"}
        return self.statement.source.group, "plural" if is_plural else "singular"


class Halves:
    """The halves of some statements."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._alike: dict[tuple[int, str], list[_Half]] = {}
        for each in statements:
            if half := _half(each):
                self._alike.setdefault(half.key, []).append(half)

    def merge(self, statement: Statement) -> tuple[str, Statement] | None:
        """Say of the subject of a statement what another fact says of something else.

        Input: an English statement. Output: the new one, and the one that its second half is from,
        which stands in another fact of the same group. Neither fact says it. None if there is none.
        """
        own = _half(statement)
        if own is None:
            return None
        others = self._alike[own.key]
        start = int(statement.digest[:8], 16) % len(others)
        near = [*others[start:], *others[:start]][:_MOST_OPTIONS]
        other = pick([each for each in near if _is_new(own, each)], statement.digest, "merged")
        return other and (f"{own.subject} {other.verb}{other.predicate}", other.statement)


def _half(statement: Statement) -> _Half | None:
    frame = read_frame(statement)
    if frame is None:
        return None
    predicate = frame.predicate(statement.text)
    words = predicate.lower().strip(".!").replace(",", "").split()
    if len(words) < _MIN_PREDICATE or not PRONOUNS.isdisjoint(words) or predicate[0] != " ":
        return None
    return _Half(statement, frame.subject, frame.verb, predicate)


def _is_new(own: _Half, other: _Half) -> bool:
    """Return whether the other fact is another one, and neither says that of the subject."""
    if own.statement.source is other.statement.source:
        return False
    subject, its_subject = stems_of(own.subject), stems_of(other.subject)
    said = stems_of(other.predicate)
    return (
        bool(subject and its_subject and said)
        and not (subject <= its_subject or its_subject <= subject)
        and subject.isdisjoint(said)
        and not subject <= other.statement.source.stems
        and not said <= own.statement.source.stems
    )
