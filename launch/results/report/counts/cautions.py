"""What apart from the answers may be the reason of another verdict in two folders."""

from collections.abc import Iterator
from typing import NamedTuple

from groundwatch.transforms.rules.thresholds import Thresholds
from .tally import Findings


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
