"""Count what a checker flags of changed and unchanged statements."""

from collections.abc import Iterable, Mapping, Sequence

from groundwatch.launch.results.evaluate.shares import Estimate, share_interval
from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.changes.cases import Case
from groundwatch.transforms.changes.change_kind import ChangeKind

SHOWN_EXAMPLES = 3


class Example(Record, frozen=True, kw_only=True):
    """A statement on which the checker was wrong, and what it had been before the change."""

    original: str
    checked: str


class Tally(Record, frozen=True, kw_only=True):
    """What a checker makes of statements of one kind; a field of the command's JSON.

    Attributes:
      made: how many there are: flagged, passed and failed ones.
      flagged: LOW_GROUNDED. Of a change that is right, of an unchanged statement wrong.
      passed: everything else; `without_score` of them need no check, as the checker says.
      failed: those that could not be checked.
      share: of the checked ones, how many are flagged; None if none was checked.
      examples: the first ones on which the checker is wrong.
    """

    made: int
    flagged: int
    passed: int
    failed: int
    without_score: int
    share: Estimate | None
    examples: tuple[Example, ...]


Outcome = EnrichedAnswer | None
"""The record of a case; None if it could not be checked."""


def tally(outcomes: Sequence[tuple[Case, Outcome]], *, is_changed: bool) -> Tally:
    """Count the outcomes of cases, all of which are changed, or none is."""
    checked = [(case, record) for case, record in outcomes if record]
    flags = [record.verdict is Verdict.LOW_GROUNDED for _, record in checked]
    flagged = sum(flags)
    wrong = [case for (case, _), flag in zip(checked, flags, strict=True) if flag != is_changed]
    interval = share_interval(flagged, len(checked))
    return Tally(
        made=len(outcomes),
        flagged=flagged,
        passed=len(checked) - flagged,
        failed=len(outcomes) - len(checked),
        without_score=sum(record.min_claim_score is None for _, record in checked),
        share=interval and interval.estimate,
        examples=tuple(
            Example(original=case.original, checked=case.text) for case in wrong[:SHOWN_EXAMPLES]
        ),
    )


class Tallies(Record, frozen=True, kw_only=True):
    """What a checker makes of unchanged statements, and of each kind of changed ones."""

    unchanged: Tally
    changed: dict[ChangeKind, Tally]


def tally_kinds(outcomes: Iterable[tuple[Case, Outcome]]) -> Tallies:
    """Count the outcomes of cases by their kind."""
    by_kind: dict[ChangeKind | None, list[tuple[Case, Outcome]]] = {}
    for case, outcome in outcomes:
        by_kind.setdefault(case.kind, []).append((case, outcome))
    return Tallies(
        unchanged=tally(by_kind.get(None, []), is_changed=False),
        changed={kind: tally(by_kind.get(kind, []), is_changed=True) for kind in ChangeKind},
    )


def unmet(
    tallies: Mapping[ChangeKind, Tally], wanted: Iterable[tuple[ChangeKind, float]]
) -> list[str]:
    """Say of which kinds less is caught than wanted, or nothing could be checked.

    Nothing checked is red: a gate that tests nothing says nothing.
    """
    complaints = []
    for kind, least in dict(wanted).items():
        found = tallies[kind]
        checked = found.flagged + found.passed
        if not found.share:
            tried = f"{found.made:,} could not be checked" if found.made else "no case was made"
            complaints.append(f"{kind}: {tried}: --fail_below {kind}={least:g} needs at least one")
        elif found.share.value < least:
            complaints.append(
                f"{kind}: {found.flagged:,} of {checked:,} were caught"
                f" ({found.share.value:.1%}), less than --fail_below {kind}={least:g}"
            )
    return complaints
