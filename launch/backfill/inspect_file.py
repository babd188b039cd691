"""Show how the messages of a file are read, without a run."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from groundwatch.launch.cli.commands.inspect import InspectSettings
from groundwatch.launch.cli.paths import find_inputs
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import printable
from groundwatch.launch.cli.terminal.print_record import print_record
from groundwatch.launch.cli.terminal.unreadable_input import fail_unreadable, fail_with, hint_for
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.archives import read_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.message import Message, ParseOptions, UnreadableAnswer
from groundwatch.schemas.wire.json_input import read_camel_case
from groundwatch.transforms.check_one import enrich_one
from groundwatch.transforms.formats.carriers.carrier_table import find_carrier
from groundwatch.transforms.formats.parser import ParseFailure, suggest_map_of, unread_texts
from groundwatch.transforms.formats.unread_content import join_names
from groundwatch.transforms.rules.spans import without_controls
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import Routed, route_answers

_CHECK = CheckerSettings().check()  # that of a run which names no checker
_SEARCHED = 100
"""How many of the first messages a map is suggested for."""


def inspect(loaded: Loaded[InspectSettings]) -> int:
    """Print how the first messages of a file are read; exit 1 if none is."""
    settings, problems = loaded.settings, loaded.problems
    paths = find_inputs("FILE", [settings.file], problems)
    loaded.raise_problems()
    shown, options = _Shown(), settings.format.options
    messages = chain.from_iterable(read_file(path, are_failures=False) for path in paths)
    try:
        for message in islice(messages, settings.messages):
            for routed in route_answers(message, options):
                shown.show(routed, options)
    except (DamagedArchive, OSError) as error:
        return fail(f"{settings.file} cannot be read: {error}")
    if not shown.answers + len(shown.failures):
        return fail_unreadable([], paths)
    if any(each.error.wanted for each in shown.failures):
        # Those that are shown may lack fields that others have.
        others = islice(messages, max(0, _SEARCHED - settings.messages))
        suggestion = suggest_map_of([*shown.failures, *_failures(others, options)], options)
        sys.stdout.write(f"{without_controls(suggestion)}\n\n")
    hints = filter(None, map(hint_for, paths[:1]))
    return DONE if shown.answers else fail_with("none of these messages could be read", [], *hints)


def _failures(messages: Iterable[Message], options: ParseOptions) -> Iterator[ParseFailure]:
    """Yield the answers that cannot be read, up to a damage of their file."""
    with suppress(DamagedArchive, OSError):
        for message in messages:
            for routed in route_answers(message, options):
                if isinstance(routed, ParseFailure):
                    yield routed


class _Shown:
    """What was printed of the messages of a file."""

    def __init__(self) -> None:
        self.answers = 0
        self.failures: list[ParseFailure] = []
        self._fields: Sequence[str] = ()
        self._last_reason = ""

    def show(self, routed: Routed, options: ParseOptions) -> None:
        """Print an answer with its verdict and what is not read, or why there is none."""
        if isinstance(routed, ParseFailure):
            self._show_failure(routed)
            return
        self.answers += 1
        self._last_reason = ""
        message = routed.answer.message
        self._describe(message, routed.answer.source_format)
        if unread := unread_texts(message, options):
            sys.stdout.write(f"texts that are not read: {printable(join_names(unread))}\n")
        sys.stdout.flush()
        print_record(enrich_one(routed, _CHECK), Thresholds())
        sys.stdout.write("\n")

    def _show_failure(self, failure: ParseFailure) -> None:
        """Print why an answer is not read, once for those that follow each other."""
        reason = failure.error.reason
        is_same = reason == self._last_reason
        self._describe(failure.message, f"not read{', for the same reason' if is_same else ''}")
        sys.stdout.write("\n" if is_same else f"{without_controls(reason)}\n\n")
        self._last_reason = reason
        self.failures.append(failure)

    def _describe(self, message: Message, found: str) -> None:
        """Name the place of an answer, its carrier, its format and the fields of its message."""
        try:
            carrier = find_carrier(read_camel_case(message.payload))
            # With the fields that are null, in the spelling of the message.
            fields = json.loads(message.payload, parse_int=str)
        except UnreadableAnswer:
            fields, carrier = None, None
        carried = f" in {carrier.name}" if carrier else ""
        sys.stdout.write(f"{printable(f'{message.answer_place}: {found}{carried}')}\n")
        names = tuple(fields) if isinstance(fields, dict) else ()
        if names and names != self._fields:
            sys.stdout.write(f"fields: {printable(', '.join(names))}\n")
        self._fields = names
