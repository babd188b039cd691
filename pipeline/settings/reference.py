"""Describe the settings: the help of a command, and docs/configuration.md."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from pipeline.settings.definition import Setting, Settings, settings_of
from pipeline.settings.load import PREFIX, CommonSettings

_WIDTH = 100


def help_text(settings: type[Settings]) -> str:
    """Describe the flags of a command in groups, one paragraph each."""
    fields = (*settings_of(settings), *settings_of(CommonSettings))
    blocks = []
    for group, grouped in groupby(fields, key=lambda field: field.group):
        lines = [line for field in grouped for line in _flag_lines(field)]
        blocks.append("\n".join((f"{group}:", *lines, "")))
    return "\n".join(blocks)


def _flag_lines(field: Setting) -> Iterator[str]:
    value = "" if field.is_switch else f" {field.kind.placeholder}"
    flag = "DIR" if field.note.is_positional else f"--{field.name}{value}"
    many = " ..." if field.is_many else ""
    yield f"  {flag}{many}{' (required)' if field.is_required else ''}"
    text = field.help
    if field.kind.range not in {"", "above 0", "from 1"}:
        text += f" Range: {field.kind.range}."
    if field.default_text and (field.default or not field.is_switch):
        text += f" Default: {_default(field)}."
    yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def reference_page(commands: Sequence[tuple[str, type[Settings]]]) -> str:
    """Write the page that documents every setting, from the settings of each command line."""
    fields: dict[tuple[str, ...], Setting] = {}
    takers: dict[tuple[str, ...], list[str]] = {}
    for command, settings in (*commands, ("all", CommonSettings)):
        for field in settings_of(settings):
            row = (field.group, field.name, field.help, field.default_text)
            fields.setdefault(row, field)
            takers.setdefault(row, []).append(command)
    sections = []
    for title in dict.fromkeys(group for group, *_ in fields):
        rows = [_row(fields[row], takers[row]) for row in fields if row[0] == title]
        sections.append(f"## {title}\n\n{_HEAD}{''.join(rows)}")
    return "\n".join((_INTRODUCTION, *sections))


def _row(field: Setting, commands: Sequence[str]) -> str:
    key = f" (`{field.key}`)" if field.name != field.key else ""
    flag = "`DIR`" if field.note.is_positional else f"`--{field.name}`{key}"
    default = "required" if field.is_required else _default(field) or "none"
    cells = flag, field.help, _values(field), default, ", ".join(commands)
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
_INTRODUCTION = f"""# Configuration

Written by `python -m launch.commands` from the definitions in `pipeline/settings/`.

Each setting has one name. It is set by a flag (`--timeout_s 20`), by an environment variable
(`{PREFIX}TIMEOUT_S=20`), or in the YAML file that `--config` or `{PREFIX}CONFIG` names
(`timeout_s: 20`). The flag wins over the environment, which wins over the file, which wins over the
default. Where the name in files and the environment differs from the flag, it is in parentheses.

```yaml
# groundwatch.yaml
checker: discoveryengine
project: my-project
requests_per_minute: 600
alert_tags: [NUMBER_MISMATCH, DATE_MISMATCH]
user_labels:
  team: support
```

- Several values: list them after the flag or repeat it; separate them by spaces in a variable; use
  a list or a mapping in the file.
- An empty variable counts as not set.
- Switches: `--alert_text` means true. `--alert_text=false` overrides a variable or the file.
- One file and one environment serve all commands: settings of other commands are ignored. Unknown
  names are refused, with the nearest known one.
- A command reports all problems at once and exits with status 2 before it starts.
- Flags of Apache Beam's pipeline options pass through. They are flags only.
"""
