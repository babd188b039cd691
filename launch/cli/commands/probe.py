"""Show what a checker sees in your own texts, without labels.

Takes statements from your texts as they stand there, changes them by kind (number, date, unit,
denial, name, condition, role, merged), and checks both against the texts: how many changes are
caught, and how many unchanged statements are flagged all the same. FACTS are texts with blank lines
between passages, archives of answers with their facts, or output folders. Number, date and unit are
changed in any language, the others in English.
"""

from collections.abc import Iterator
from typing import Annotated

from groundwatch.launch.cli.commands import Command
from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import InputFormatSettings, VerdictSettings
from groundwatch.transforms.changes.change_kind import ChangeKind


def _parse_wanted(text: str) -> tuple[ChangeKind, float]:
    kind, share = kinds.parse_pair(text, "KIND=SHARE, such as number=0.8")
    if kind not in tuple(ChangeKind):
        raise ValueError(f"{kind} is not one of {', '.join(ChangeKind)}")
    return ChangeKind(kind), kinds.parse_fraction(share)


WantedShare = Annotated[tuple[ChangeKind, float], kinds.ValueKind(_parse_wanted, "KIND=SHARE")]


class ProbeSettings(Settings, frozen=True, kw_only=True):
    """What is made of your texts.

    facts: Texts whose passages are separated by blank lines, archives as `backfill` reads them, or
      output folders: paths, globs or folders, local or gs://.
    cases: Most statements that are checked unchanged, and most of each kind of change. Chosen by a
      hash: the same ones in every run.
    fail_below: End with exit status 4 if a smaller share of a kind of change is caught, or if none
      could be checked: KIND=SHARE, such as number=0.8.
    json: Print the result as JSON.
    """

    facts: Annotated[tuple[kinds.Location, ...], Note(positional="FACTS")]
    cases: kinds.Count = 100
    fail_below: tuple[WantedShare, ...] = ()
    json: Annotated[kinds.Switch, Note(is_argument=True)] = False

    def problems(self) -> Iterator[str]:
        """Name a kind that is given twice with different shares."""
        wanted = dict(self.fail_below)
        for kind, share in self.fail_below:
            if wanted[kind] != share:
                yield f"--fail_below {kind}: is given twice, as {share:g} and as {wanted[kind]:g}"


class ProbeCommandSettings(Settings, frozen=True, kw_only=True):
    """The settings of `probe`."""

    probe: ProbeSettings
    format: InputFormatSettings
    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


COMMAND = Command(
    settings=ProbeCommandSettings,
    run="groundwatch.launch.results.probe.probe_texts:probe",
    examples=(
        "manual.txt",
        "answers.jsonl --cases 50 --checker http://127.0.0.1:8080",
        "out/answers --fail_below number=0.8 --fail_below denial=0.5",
    ),
)
