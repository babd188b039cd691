"""Show how the messages of a file are read, without a run."""

import sys
from itertools import chain, islice

import msgspec

from groundwatch.launch.cli.commands.inspect import InspectSettings
from groundwatch.launch.cli.paths import find_inputs
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import printable
from groundwatch.launch.cli.terminal.print_record import print_record
from groundwatch.launch.cli.terminal.unreadable_input import fail_unreadable, fail_with, hint_for
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.archives import read_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.message import Message, UnreadableAnswer
from groundwatch.schemas.wire.json_input import read_camel_case, read_json
from groundwatch.transforms.check_one import enrich_one
from groundwatch.transforms.formats.carriers.carrier_table import find_carrier
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import Routed, route_answers


def inspect(loaded: Loaded[InspectSettings]) -> int:
    """Print how the first messages of a file are read; exit 1 if none is."""
    settings, problems = loaded.settings, loaded.problems
    paths = find_inputs("FILE", [settings.file], problems)
    loaded.raise_problems()
    understood = shown = 0
    try:
        messages = chain.from_iterable(read_file(path, are_failures=False) for path in paths)
        for message in islice(messages, settings.messages):
            for routed in route_answers(message, settings.format.options):
                shown += 1
                understood += _show(routed)
    except (DamagedArchive, OSError) as error:
        return fail(f"{settings.file} cannot be read: {error}")
    if not shown:
        return fail_unreadable([], paths)
    hints = filter(None, map(hint_for, paths[:1]))
    return DONE if understood else fail_with("none of these messages could be read", [*hints])


def _show(routed: Routed) -> bool:
    """Print an answer with its verdict, or why there is none; return whether there is one."""
    if isinstance(routed, ParseFailure):
        sys.stdout.write(f"{_describe(routed.message, 'not read')}\n{routed.error}\n\n")
        return False
    answer = routed.answer
    sys.stdout.write(f"{_describe(answer.message, answer.source_format)}\n")
    sys.stdout.flush()
    record = msgspec.convert(enrich_one(routed), AnswerRow, from_attributes=True)
    print_record(record, Thresholds())
    sys.stdout.write("\n")
    return True


def _describe(message: Message, found: str) -> str:
    """Name the place of an answer, its carrier, its format and the fields of its message."""
    try:
        fields = read_json(message.payload)
        carrier = find_carrier(read_camel_case(message.payload))
    except UnreadableAnswer:
        fields, carrier = None, None
    carried = f" in {carrier.name}" if carrier else ""
    names = f"\nfields: {', '.join(fields)}" if isinstance(fields, dict) else ""
    return "\n".join(map(printable, f"{message.answer_place}: {found}{carried}{names}".split("\n")))
