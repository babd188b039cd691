"""Describe the settings: the help of a command, and docs/configuration.md."""

import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from pipeline.settings.definition import Setting, Settings, settings_of
from pipeline.settings.load import CommonSettings

_WIDTH = 100


def help_text(settings: type[Settings], keys: Collection[str] | None = None) -> str:
    """Describe the flags of a command, or those of some settings, in groups."""
    fields = [
        field
        for field in (*settings_of(settings), *settings_of(CommonSettings))
        if keys is None or field.key in keys
    ]
    blocks = []
    for group, grouped in groupby(fields, key=lambda field: field.group):
        lines = [line for field in grouped for line in _flag_lines(field)]
        blocks.append("\n".join((f"{group}:", *lines, "")))
    return "\n".join(blocks)


def _flag_lines(field: Setting) -> Iterator[str]:
    has_value = not (field.is_switch or field.note.positional)
    value = f" {field.kind.placeholder}" if has_value else ""
    many = " ..." if field.is_many else ""
    yield f"  {field.written}{value}{many}{' (required)' if field.is_required else ''}"
    text = field.help
    if field.kind.range not in {"", "above 0", "from 1"}:
        text += f" Range: {field.kind.range}."
    if field.default_text and (field.default or not field.is_switch):
        text += f" Default: {_default(field)}."
    yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def reference_page(page: str, commands: Sequence[tuple[str, type[Settings]]]) -> str:
    """Replace the tables of settings behind a page's introduction by those of the commands."""
    fields: dict[tuple[str, ...], Setting] = {}
    takers: dict[tuple[str, ...], list[str]] = {}
    for command, settings in (*commands, ("all", CommonSettings)):
        for field in settings_of(settings):
            row = (field.group, field.name, field.help, field.default_text)
            fields.setdefault(row, field)
            takers.setdefault(row, []).append(command)
    sections = [page.partition("\n## ")[0]]
    for title in dict.fromkeys(group for group, *_ in fields):
        rows = [_row(fields[row], takers[row]) for row in fields if row[0] == title]
        sections.append(f"## {title}\n\n{_HEAD}{''.join(rows)}")
    return "\n".join(sections)


def _row(field: Setting, commands: Sequence[str]) -> str:
    key = f" (`{field.key}`)" if field.name != field.key else ""
    default = "required" if field.is_required else _default(field) or "none"
    cells = f"`{field.written}`{key}", field.help, _values(field), default, ", ".join(commands)
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |\n"


def _values(field: Setting) -> str:
    kind = field.kind
    if kind.choices is not None:
        text = ", ".join(f"`{each}`" for each in kind.choices())
    elif field.is_switch:
        text = "true or false"
    else:
        text = f"{kind.unit or 'number'} {kind.range}" if kind.range else f"`{kind.placeholder}`"
    return f"{text}, several" if field.is_many else text


def _default(field: Setting) -> str:
    has_unit = field.kind.unit and field.default_text and not field.note.default
    return f"{field.default_text} {field.kind.unit}" if has_unit else field.default_text


_HEAD = "| setting | meaning | values | default | commands |\n| --- | --- | --- | --- | --- |\n"
