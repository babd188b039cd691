"""Print what a checker made of changed and unchanged statements."""

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from groundwatch.launch.cli.terminal.figures import count, counted, printable
from groundwatch.launch.results.evaluate.evaluate_answers import (
    EMBEDDED_CHECKER_ALONE,
    estimate_text,
    plain_table,
)
from groundwatch.launch.results.probe.tallies import Tallies, Tally
from groundwatch.schemas import Record
from groundwatch.transforms.changes.change_kind import IN_ANY_LANGUAGE, ChangeKind

_WIDTH = 100
_LINE = 88  # characters
_LED_BY = 28  # characters of what is equal, in front of the first difference
_SHORT = 40  # characters, in the middle of a sentence
_CUT = "\u2026"


class Probe(Record, frozen=True, kw_only=True):
    """What a checker sees in a person's texts; the fields of the command's JSON.

    Attributes:
      statements: how many sentences could be checked or changed; `english` of them by all kinds.
      not_english: the first of the others.
      calls: how many calls each checker got, by its name.
      by_weight: the same cases by words, by both and by a model, if there is one.
    """

    passages: int
    statements: int
    english: int
    not_english: str | None
    calls: dict[str, int]
    unchanged: Tally
    changed: dict[ChangeKind, Tally]
    by_weight: dict[str, Tallies] = {}


def show_probe(probe: Probe) -> None:
    """Print the table of kinds, and examples of what the checker got wrong."""
    # Texts and the names of checkers may look like markup.
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    console.print(f"\n{'; '.join(_input_counts(probe))}\n")
    console.print(_shares(probe.changed))
    found = probe.unchanged
    console.print(
        f"\nunchanged, flagged wrongly: {found.flagged:,} of {found.flagged + found.passed:,}"
        f"  {_share(found)}{_others(found)}"
    )
    if probe.by_weight:
        console.print(f"\n{EMBEDDED_CHECKER_ALONE}")
        console.print(_weights(probe.by_weight))
    for kind, tally in probe.changed.items():
        if tally.examples:
            console.print(f"\n{kind}: {tally.passed:,} missed, such as\n")
            console.print(Padding(_examples(tally), (0, 2), expand=False))
    if found.examples:
        console.print("\nunchanged, flagged all the same, such as\n")
        for each in found.examples:
            console.print(f"  {_cut(printable(each.original))}")
    console.print()


def _input_counts(probe: Probe) -> Iterator[str]:
    yield f"{counted(probe.passages, 'passage')} with {counted(probe.statements, 'statement')}"
    if others := probe.statements - probe.english:
        such = f" such as “{_cut(printable(probe.not_english or ''), _SHORT)}”,"
        yield f"{others:,} not in English,{such} in which only {', '.join(IN_ANY_LANGUAGE)} change"
    calls = (f"{name} {calls:,}" for name, calls in probe.calls.items())
    yield f"calls: {', '.join(calls) or '0'}"


def _shares(changed: Mapping[ChangeKind, Tally]) -> Table:
    table = plain_table("changed", "made", "caught", "missed", "share caught (95 % interval)")
    for kind, tally in changed.items():
        numbers = map(count, (tally.made, tally.flagged, tally.passed))
        table.add_row(kind, *numbers, f"{_share(tally)}{_others(tally)}")
    return table


def _weights(by_weight: Mapping[str, Tallies]) -> Table:
    """Compare the shares that are flagged, by kind."""
    table = plain_table("share flagged by", *by_weight)
    for kind in ChangeKind:
        table.add_row(kind, *(_share(each.changed[kind]) for each in by_weight.values()))
    unchanged = (_share(each.unchanged) for each in by_weight.values())
    table.add_row("unchanged, wrongly", *unchanged)
    return table


def _share(tally: Tally) -> str:
    return estimate_text(tally.share, 2)


def _others(tally: Tally) -> str:
    notes = ((tally.without_score, "without a score"), (tally.failed, "could not be checked"))
    return "".join(f", {number:,} {words}" for number, words in notes if number)


def _examples(tally: Tally) -> Table:
    """Lay each example out on two lines, so that what was changed stands below what it was."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for number, example in enumerate(tally.examples):
        if number:
            table.add_row()
        texts = excerpts(printable(example.original), printable(example.checked))
        for name, text in zip(("original", "changed"), texts, strict=True):
            table.add_row(name, text)
    return table


def excerpts(original: str, changed: str) -> tuple[str, str]:
    """Cut two texts to one line each, with their first difference in it.

    >>> excerpts("Lamps of the series A glow red.", "Lamps of the series A glow blue.")
    ('Lamps of the series A glow red.', 'Lamps of the series A glow blue.')
    """
    pairs = zip(original, changed, strict=False)
    first = next((place for place, (own, its) in enumerate(pairs) if own != its), len(original))
    longest = max(len(original), len(changed))
    start = min(first - _LED_BY, longest + len(_CUT) - _LINE)
    if start <= 0:
        return _cut(original), _cut(changed)
    own, its = (f"{_CUT}{each[start:]}" for each in (original, changed))
    return _cut(own), _cut(its)


def _cut(text: str, most: int = _LINE) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}{_CUT}"
