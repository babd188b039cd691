"""Probe a checker with statements from a person's texts, some of them changed."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from groundwatch.launch.cli.commands.probe import ProbeCommandSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, LOW_GROUNDED, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.unreadable_input import (
    SHOWN_FAULTS,
    fail_unreadable,
    fail_with,
)
from groundwatch.launch.results.check_by_weights import ByWeight, check_by_weights
from groundwatch.launch.results.probe.read_passages import ReadPassages, find_facts, read_texts
from groundwatch.launch.results.probe.show_probe import Probe, show_probe
from groundwatch.launch.results.probe.tallies import tally_kinds, unmet
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import indented_json
from groundwatch.schemas.verdict import is_of_second
from groundwatch.transforms.changes.cases import Case, make_cases
from groundwatch.transforms.changes.statement import Statement, find_statements
from groundwatch.transforms.check_one import check_answers, read_answer
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.grounding.errors import (
    CheckFailed,
    RunStopped,
    Unavailable,
    is_of_answer,
)
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.grounding.transport import try_connection
from groundwatch.transforms.lexical.weighted_sum import scored_by
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import Routed


def probe(loaded: Loaded[ProbeCommandSettings]) -> int:
    """Check changed and unchanged statements; exit 4 if less is caught than wanted."""
    settings, problems = loaded.settings, loaded.problems
    found = find_facts(settings.probe.facts, problems)
    passages = ReadPassages()
    for text in read_texts(found.texts, problems):
        passages.add_text(text)
    loaded.raise_problems()
    thresholds = settings.verdicts.thresholds
    check = settings.checker.check(retries=settings.retries.policy, thresholds=thresholds)
    try:
        passages.add_archives(found.archives, settings.format.options)
        if passages.damaged:
            return fail_with("the probe failed: damaged files", passages.damaged[:SHOWN_FAULTS])
        if not passages.groups and passages.faults:
            return fail_unreadable(passages.faults, found.archives)
        return _probe(passages.groups, settings, check, thresholds)
    except (OSError, RunStopped, Unavailable, KeyboardInterrupt) as error:
        return fail(f"the probe failed: {str(error) or 'interrupted'}")


def _probe(
    groups: Sequence[tuple[Fact, ...]],
    settings: ProbeCommandSettings,
    check: CheckSettings,
    thresholds: Thresholds,
) -> int:
    facts = {fact.text: (fact, number) for number, group in enumerate(groups) for fact in group}
    statements = [each for given in facts.values() for each in find_statements(*given)]
    cases = make_cases(statements, settings.probe.cases)
    if not cases:
        passages = counted(len(facts), "passage")
        return fail(
            f"the probe failed: {passages}, and no sentence in them that can be checked: whole"
            " sentences of four to forty words, which end with a full stop"
        )
    _announce(cases, check)
    checked = list(_check(cases, settings.checker, check, thresholds))
    if not any(isinstance(each.outcome, EnrichedAnswer) for each in checked):
        return fail(f"the probe failed: no statement could be checked: {checked[-1].outcome}")
    result = _result(statements, len(facts), checked, settings.checker.compared_weights)
    if settings.probe.json:
        sys.stdout.write(indented_json(result).decode())
    else:
        show_probe(result)
    complaints = unmet(result.changed, settings.probe.fail_below)
    for complaint in complaints:
        fail(complaint, LOW_GROUNDED)
    return LOW_GROUNDED if complaints else DONE


def _announce(cases: Sequence[Case], check: CheckSettings) -> None:
    """Say how much is checked, before a call is paid for."""
    unchanged = sum(case.kind is None for case in cases)
    checkers = " and then ".join(each.checker_name for each in check.checkers)
    changed = len(cases) - unchanged
    sys.stderr.write(
        f"groundwatch: {unchanged:,} unchanged and {changed:,} changed statements are checked by"
        f" {checkers}, most with one call each; --cases sets how many\n"
    )


class _Checked(NamedTuple):
    """A case, its record or why it has none, and its records by each weight of a model."""

    case: Case
    outcome: EnrichedAnswer | CheckFailed
    by_weight: ByWeight


def _check(
    cases: Sequence[Case], checker: CheckerSettings, check: CheckSettings, thresholds: Thresholds
) -> Iterator[_Checked]:
    """Check the cases, in their order; raise what keeps all of them from being checked."""
    try_connection(check)
    step = partial(check_answers, settings=check)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        answers = map(_answer, cases)
        found = check_by_weights(answers, checker, checker.compared_weights, step, thresholds)
        for case, (outcome, by_weight) in bar.track(
            zip(cases, found, strict=True), len(cases), description="checking"
        ):
            if isinstance(outcome, ParseFailure):
                raise outcome.error
            if isinstance(outcome, EnrichedAnswer) or is_of_answer(outcome):
                yield _Checked(case, outcome, by_weight)
            else:
                raise outcome


def _answer(case: Case) -> Routed:
    facts = [{"text": each.text, "title": each.title, "uri": each.uri} for each in case.facts]
    return read_answer(case.text, facts, None)


def _result(
    statements: Sequence[Statement],
    passages: int,
    checked: Sequence[_Checked],
    weights: Sequence[float],
) -> Probe:
    outcomes = [
        (each.case, each.outcome if isinstance(each.outcome, EnrichedAnswer) else None)
        for each in checked
    ]
    calls: Counter[str] = Counter()
    for _, record in outcomes:
        if record and record.check:
            calls[record.check.checker or ""] += record.check.calls
        if record and record.screen and is_of_second(record.tags):
            calls[record.screen.checker or ""] += 1
    by_weight = {
        scored_by(weight): tally_kinds((each.case, each.by_weight.get(weight)) for each in checked)
        for weight in weights
    }
    tallies = tally_kinds(outcomes)
    others = [each.text for each in statements if not each.is_english]
    return Probe(
        passages=passages,
        statements=len(statements),
        english=len(statements) - len(others),
        not_english=others[0] if others else None,
        calls=dict(calls),
        unchanged=tallies.unchanged,
        changed=tallies.changed,
        by_weight=by_weight,
    )
