"""Check one answer against source texts.

The exit status is 4 when the answer is low-grounded, so that a test or a CI job can call it.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import VerdictSettings
from . import Command


class GivenAnswerSettings(Settings, frozen=True, kw_only=True):
    """Which answer is checked.

    answer: The answer's text; - reads it from standard input.
    fact: A source text.
    fact_file: Files of source texts, one text each.
    query: The question.
    format: Text for people, the record as JSON, or a note for the model that wrote the answer,
      empty if no statement is flagged. Default: text.
    json: The same as --format json.
    """

    answer: Annotated[kinds.Text, Note(is_argument=True)]
    fact: Annotated[tuple[kinds.Text, ...], Note(is_argument=True)] = ()
    fact_file: Annotated[tuple[kinds.LocalFile, ...], Note(is_argument=True)] = ()
    query: Annotated[kinds.Text | None, Note(is_argument=True)] = None
    format: Annotated[Literal["text", "json", "note"] | None, Note(is_argument=True)] = None
    json: Annotated[kinds.Switch, Note(is_argument=True)] = False

    def problems(self) -> Iterator[str]:
        if not (self.fact or self.fact_file):
            yield "--fact is missing: pass the source texts with --fact or --fact_file"
        if self.json and self.format not in {None, "json"}:
            yield f"--format {self.format}: --json asks for another format; pass one of them"

    @property
    def printed_as(self) -> str:
        return "json" if self.json else self.format or "text"


class CheckCommandSettings(Settings, frozen=True, kw_only=True):
    """The settings of `check`."""

    given: GivenAnswerSettings
    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


COMMAND = Command(
    settings=CheckCommandSettings,
    run="groundwatch.launch.checker.check_answer:check",
    examples=(
        "--answer 'Lamps glow red.' --fact 'Lamps glow blue.'",
        "--answer - --fact_file manual.txt < answer.txt",
        "--answer 'Lamps glow red.' --fact 'Lamps glow blue.' --format note",
    ),
)
