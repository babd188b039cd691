"""Check one answer from the command line."""

import sys
from pathlib import Path

from groundwatch.launch.cli.commands.check import CheckCommandSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, LOW_GROUNDED, USAGE, fail
from groundwatch.launch.cli.terminal.figures import printable
from groundwatch.launch.cli.terminal.print_record import print_record
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.quantities import indented_json
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.check_one import enrich_one, read_answer
from groundwatch.transforms.grounding.errors import CheckFailed
from groundwatch.transforms.grounding.try_connection import try_connection
from groundwatch.transforms.rules.noting import write_note
from groundwatch.transforms.runtime.waiting import waiting_for


def check(loaded: Loaded[CheckCommandSettings]) -> int:
    """Print the record of an answer; return the exit status."""
    settings, given = loaded.settings, loaded.settings.given
    facts = list(given.fact)
    for path in given.fact_file:
        try:
            facts.append(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            loaded.problems.append(f"--fact_file {path}: cannot be read: {error}")
    loaded.raise_problems()
    thresholds = settings.verdicts.thresholds
    check_settings = settings.checker.check(retries=settings.retries.policy, thresholds=thresholds)
    try:
        answer = sys.stdin.read() if given.answer == "-" else given.answer
        if not answer.strip():
            return fail("--answer -: standard input is empty", USAGE)
        try_connection(check_settings)
        routed = read_answer(answer, facts, given.query)
        with waiting_for(f"a reply of the checker {check_settings.checker}"):
            enriched = enrich_one(routed, check_settings, thresholds)
    except (CheckFailed, OSError, UnicodeDecodeError, UnreadableAnswer) as error:
        detail = getattr(error, "detail", None)
        reason = f"{error}: {printable(detail)}" if detail else error
        return fail(f"the answer could not be checked: {reason}")
    if given.printed_as == "json":
        sys.stdout.write(indented_json(enriched).decode())
    elif given.printed_as == "note":
        note = write_note(enriched)
        sys.stdout.write(f"{note}\n" if note else "")
    else:
        print_record(enriched, thresholds)
    return LOW_GROUNDED if enriched.verdict is Verdict.LOW_GROUNDED else DONE
