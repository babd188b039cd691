"""By which revisions of which checkers the records were checked."""

from collections import Counter
from typing import NamedTuple

from groundwatch.schemas.enriched_answer import AnswerRow
from .timeline import OTHERS
from .untrusted_names import cut_name

_MAX_REVISIONS = 100
_Revision = tuple[str, str | None]


class RevisionCounts(NamedTuple):
    """A revision of a checker, None if it states none, and how many answers it checked.

    `decided` are those with its verdict; `screened` those that it checked before a second checker.
    """

    checker: str
    revision: str | None
    decided: int
    screened: int


class Revisions:
    """Count answers by the revisions of their checkers; beyond a maximum, these count as others."""

    def __init__(self) -> None:
        self._decided: Counter[_Revision] = Counter()
        self._screened: Counter[_Revision] = Counter()

    def add(self, answer: AnswerRow) -> None:
        """Count an answer, if it was checked."""
        if (check := answer.check) and check.checker:
            _count(self._decided, check.checker, check.revision)
        if screen := answer.screen:
            _count(self._screened, screen.checker, screen.revision)

    def counts(self) -> list[RevisionCounts]:
        """Return the revisions, those with the most answers first."""
        found = (
            RevisionCounts(*each, self._decided[each], self._screened[each])
            for each in self._decided | self._screened
        )
        return sorted(found, key=lambda each: (-each.decided, -each.screened, str(each)))

    def of_checker(self) -> dict[str, set[str | None]]:
        found: dict[str, set[str | None]] = {}
        for checker, revision in self._decided | self._screened:
            found.setdefault(checker, set()).add(revision)
        return found

    def mixed(self) -> list[str]:
        """Return the checkers with more than one revision."""
        return sorted(name for name, own in self.of_checker().items() if len(own) > 1)


def _count(counts: Counter[_Revision], checker: str, revision: str | None) -> None:
    key = cut_name(checker) or "", cut_name(revision)
    counts[key if key in counts or len(counts) < _MAX_REVISIONS else (OTHERS, None)] += 1
