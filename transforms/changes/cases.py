"""Make cases of statements: some as they are, and some changed, by kind."""

from collections import Counter
from collections.abc import Sequence

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.transforms.changes.change_kind import ChangeKind
from groundwatch.transforms.changes.changed_unit import change_unit
from groundwatch.transforms.changes.changed_values import change_date, change_number
from groundwatch.transforms.changes.condition import change_condition
from groundwatch.transforms.changes.denial import change_denial
from groundwatch.transforms.changes.merged import Halves
from groundwatch.transforms.changes.name import Names
from groundwatch.transforms.changes.role import change_role
from groundwatch.transforms.changes.statement import Statement, spelled_alike


class Case(Record, frozen=True, kw_only=True):
    """A statement to check against its facts.

    Attributes:
      kind: how it was changed; None if it is as it stands in the fact, which supports it.
    """

    kind: ChangeKind | None
    original: str
    text: str
    facts: tuple[Fact, ...]


def make_cases(statements: Sequence[Statement], most: int) -> list[Case]:
    """Make at most so many unchanged cases, and at most so many of each kind of change.

    By a hash of the statements: the same ones in every run, and more of them with a higher number.
    """
    ordered = sorted(statements, key=lambda each: each.digest)
    changes = _Changes(ordered)
    made: Counter[ChangeKind | None] = Counter()
    cases: list[Case] = []
    for statement in ordered:
        open_kinds = [kind for kind in (None, *ChangeKind) if made[kind] < most]
        if not open_kinds:
            break
        for kind in open_kinds:
            if case := changes.of(statement, kind):
                cases.append(case)
                made[kind] += 1
    return cases


class _Changes:
    """The changes of statements, some of which take words from others of them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._names = Names(statements)
        self._halves = Halves(statements)
        self._change = {
            ChangeKind.NUMBER: change_number,
            ChangeKind.DATE: change_date,
            ChangeKind.UNIT: change_unit,
            ChangeKind.DENIAL: change_denial,
            ChangeKind.NAME: self._names.change,
            ChangeKind.CONDITION: change_condition,
            ChangeKind.ROLE: change_role,
        }

    def of(self, statement: Statement, kind: ChangeKind | None) -> Case | None:
        """Make a case of a statement; None if it cannot be changed so."""
        text, facts = statement.text, [statement.source.fact]
        if kind is ChangeKind.MERGED:
            merged = self._halves.merge(statement)
            if merged is None:
                return None
            text, other = merged
            facts.append(other.source.fact)
        elif kind is not None:
            changed = self._change[kind](statement)
            if changed is None:
                return None
            text = changed
        if kind is not None and _is_known(text, statement, facts):
            return None
        return Case(kind=kind, original=statement.text, text=text, facts=tuple(facts))


def _is_known(text: str, statement: Statement, facts: Sequence[Fact]) -> bool:
    """Return whether a changed statement says nothing new, or stands in one of its facts."""
    is_same = spelled_alike(text) == spelled_alike(statement.text)
    return is_same or any(text in fact.text for fact in facts)
