"""Write the lists of docs/configuration.md: `python -m tests.support.settings_page`."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from groundwatch.launch.cli.commands import documented_commands
from groundwatch.pipeline.settings.definition import Setting, Settings, settings_of
from groundwatch.pipeline.settings.load import CommonSettings
from tests.support.repository import ROOT

PAGE = ROOT / "docs" / "configuration.md"
_BATCH = ("`backfill`", "`estimate`", "`replay`")
_RUNS = (*_BATCH, "`watch`", "`watch --runner`")
_LABELS = ("`calibrate`", "`evaluate`")
# The page's introduction says which commands these names stand for.
_COMMAND_GROUPS = {
    "checks": (*_RUNS, *_LABELS, "`check`"),
    "runs": _RUNS,
    "batch runs": _BATCH,
    "labels": _LABELS,
}
_ALL = "All commands"
# Where another page lists the words of a setting.
_LISTS = {
    "input_format": "a [format](formats.md#what-is-read) or [preset](formats.md#presets)",
    "alert_verdicts": "[verdicts](output.md#verdict-and-verdict_reason) and [tags](output.md#tags)",
}
# The placeholder says these.
_PLAIN_RANGES = frozenset({"", "above 0", "from 1"})

_Row = tuple[Setting, tuple[str, ...]]


def reference_page(page: str, commands: Iterable[tuple[str, type[Settings]]]) -> str:
    """Replace the settings behind a page's introduction by those of the commands."""
    fields: dict[tuple[str, ...], Setting] = {}
    takers: dict[tuple[str, ...], list[str]] = {}
    for command, settings in (*commands, (_ALL, CommonSettings)):
        for field in settings_of(settings):
            row = (field.group, field.name, field.help, field.default_text)
            fields.setdefault(row, field)
            takers.setdefault(row, []).append(command)
    groups: dict[str, list[_Row]] = {}
    for key, field in fields.items():
        groups.setdefault(field.group, []).append((field, tuple(takers[key])))
    sections: dict[str, list[_Row]] = {}
    for title, rows in groups.items():
        sections.setdefault(_heading(title, rows), []).extend(rows)
    texts = [page.partition("\n## ")[0]]
    for heading, rows in sections.items():
        texts.append(f"## {heading}\n\n{''.join(_lines(heading, rows))}")
    return "\n".join(texts)


def _heading(title: str, rows: Sequence[_Row]) -> str:
    """Name the section of a group: all settings of one command stand together."""
    commands = {each for _, taken in rows for each in taken}
    return title if len(commands) > 1 else commands.pop()


def _lines(heading: str, rows: Sequence[_Row]) -> Iterator[str]:
    """Yield the lines of a section, and which commands take its settings."""
    most, _ = Counter(taken for _, taken in rows).most_common(1)[0]
    if most != (heading,):
        yield f"Commands: {_written(most)}.\n\n"
    for field, taken in rows:
        yield f"- {_head(field)}: {field.help}{_difference(taken, most)}\n"


def _difference(taken: Sequence[str], most: Sequence[str]) -> str:
    """Say how the commands of a setting differ from those of its section."""
    more = [each for each in taken if each not in most]
    fewer = [each for each in most if each not in taken]
    also = f" Also {_written(more)}." if more else ""
    return f"{also} Not {_written(fewer)}." if fewer else also


def _written(commands: Collection[str]) -> str:
    """Name commands, and groups of them by the group's name."""
    left = [*commands]
    names = []
    for name, group in _COMMAND_GROUPS.items():
        if set(group) <= set(left):
            names.append(name)
            left = [each for each in left if each not in group]
    return ", ".join((*names, *left))


def _head(field: Setting) -> str:
    """Write a setting as the help does, with its name in files, default and values."""
    kind = field.kind
    has_value = not (field.is_switch or field.note.positional)
    value = f" {kind.placeholder}" if has_value else ""
    several = " ..." if field.is_many else ""
    key = f"`{field.key}`" if field.name != field.key and not field.is_argument else ""
    default = "required" if field.is_required else field.default_with_unit
    if field.is_switch and not field.default:
        default = ""
    values = _LISTS.get(field.key, "" if kind.range in _PLAIN_RANGES else kind.range)
    said = "; ".join(filter(None, (key, default, values)))
    return f"`{field.written}{value}{several}`" + (f" ({said})" if said else "")


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(reference_page(page, documented_commands()), encoding="utf-8")
