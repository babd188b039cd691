"""Write the help of a command from its settings."""

import textwrap
from collections.abc import Collection, Iterator
from itertools import groupby

from pipeline.settings.definition import Setting, Settings, settings_of
from pipeline.settings.load import CommonSettings

HELP_WIDTH = 79
"""Columns of the help, so that it fits a terminal of 80."""


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
        text += f" Default: {described_default(field)}."
    yield from textwrap.wrap(text, HELP_WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def described_default(field: Setting) -> str:
    """Write the default of a setting with its unit; empty where there is none."""
    has_unit = field.kind.unit and field.default_text and not field.note.default
    return f"{field.default_text} {field.kind.unit}" if has_unit else field.default_text
