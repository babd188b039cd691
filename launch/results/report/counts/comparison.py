"""The differences between the records of two folders, and what may be their reason."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from groundwatch.schemas import Record
from groundwatch.transforms.rules.thresholds import Thresholds
from .excerpts import AnswerExcerpt
from .groups import Group
from .tally import Findings


class Scores(NamedTuple):
    """The verdict and the scores of an answer in the first folder."""

    verdict: str
    support: float | None
    claim: float | None


class Change(Enum):
    """How the verdict of an answer in the second folder differs from that in the first one."""

    BECAME_LOW = auto()
    NEW_LOW = auto()  # low-grounded, and only in the second folder
    STILL_LOW = auto()
    NO_LONGER_LOW = auto()
    OTHER = auto()  # another verdict, and low-grounded in neither


class ListedAnswer(NamedTuple):
    """An answer of the second folder, and what it was in the first one, if it is there."""

    before: Scores | None
    excerpt: AnswerExcerpt


class ListedAnswers(NamedTuple):
    """The worst answers of a kind of change, and how many there are."""

    answers: Sequence[ListedAnswer]
    total: int


class PairCounts(NamedTuple):
    """The pairs of an engine, or of all, how many changed, and the mean changes of their scores."""

    engine: str | None = None
    pairs: int = 0
    changed: int = 0
    became_low: int = 0
    no_longer_low: int = 0
    support_change: float | None = None
    claim_change: float | None = None


class Pairing(NamedTuple):
    """How many answers of two folders are paired by their record id, name, question and text."""

    by_id: int
    by_name: int = 0
    by_question: int = 0
    by_text: int = 0


class RateChange(NamedTuple):
    """The low-grounded rates of an engine, or of all, in two folders."""

    engine: str | None
    before: Group
    after: Group

    @property
    def change(self) -> float | None:
        """The difference of the shares; None if one folder assessed no answer."""
        before, after = self.before.low_share, self.after.low_share
        return None if before is None or after is None else after - before


class Comparison(Record, frozen=True, kw_only=True):
    """All differences; `before` and `after` are the counts of each folder."""

    before: Findings
    after: Findings
    pairing: Pairing
    total: PairCounts
    changes: dict[tuple[str, str], int]
    engines: Sequence[PairCounts]
    listed: Mapping[Change, ListedAnswers]
    only_before: int
    only_after: int

    @property
    def unreadable(self) -> tuple[str, ...]:
        return self.before.unreadable + self.after.unreadable

    @property
    def accuracies(self) -> list[str]:
        """Say how far the verdicts can be trusted: by labels for each folder, if there are some."""
        if self.before.measured or self.after.measured:
            return [f"Before: {self.before.measured}", f"After: {self.after.measured}"]
        return [accuracy] if (accuracy := self.after.accuracy or self.before.accuracy) else []

    @property
    def all_rates(self) -> RateChange:
        tallies = (self.before.tally, self.after.tally)
        before, after = (
            Group(None, assessed=each.assessed, low_grounded=each.low_grounded) for each in tallies
        )
        return RateChange(None, before, after)

    def engine_rates(self, limit: int) -> list[RateChange]:
        """Return the low-grounded rates of the engines, those with the most answers first."""
        before, after = self.before.tally.engines, self.after.tally.engines
        none = Group(None)
        pairs = {key: (before.get(key, none), after.get(key, none)) for key in {*before, *after}}

        def rank(key: str | None) -> tuple[int, str]:
            return -sum(group.answers for group in pairs[key]), key or ""

        return [RateChange(key, *pairs[key]) for key in sorted(pairs, key=rank)[:limit]]


class Caution(NamedTuple):
    """A sentence with a place `{}` for each of its names, which are untrusted text."""

    sentence: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.sentence.format(*self.names)


def cautions(before: Findings, after: Findings) -> Iterator[Caution]:
    """Say which checkers, revisions and thresholds differ between two folders."""
    for name, found in (("first", before), ("second", after)):
        if found.of_all:
            yield Caution(f"The {name} folder: {found.of_all}")
    first, second = (each.tally.revisions.of_checker() for each in (before, after))
    if first and second and first.keys() != second.keys():
        yield Caution(
            "The folders were checked by different checkers ({} before, {} after): their scores are"
            " of different scales, and another verdict need not be another answer.",
            (", ".join(sorted(first)), ", ".join(sorted(second))),
        )
    for checker in sorted(first.keys() & second.keys()):
        if first[checker] != second[checker]:
            yield Caution(
                "The folders were checked by different revisions of {}: it may be the reason of a"
                " change. Each folder's report lists them.",
                (checker,),
            )
    given = [each.summary and each.summary.thresholds for each in (before, after)]
    if given[0] and given[1]:
        yield from _of_thresholds(given[0], given[1])


def _of_thresholds(before: Thresholds, after: Thresholds) -> Iterator[Caution]:
    if _values(before) != _values(after):
        yield Caution(
            "The folders have different thresholds of the support and the claim score"
            f" ({_values(before)} before, {_values(after)} after): a verdict may differ where the"
            " scores do not."
        )
    engines = sorted({*before.engines, *after.engines})
    own = [
        name
        for name in engines
        if _values(before.engines.get(name)) != _values(after.engines.get(name))
    ]
    if own:
        yield Caution("The folders have different thresholds of {}.", (", ".join(own),))


def _values(thresholds: Thresholds | None) -> str:
    return f"{thresholds.low_grounded:g} and {thresholds.claim:g}" if thresholds else ""
