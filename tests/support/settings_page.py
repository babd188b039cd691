"""Write the tables of docs/configuration.md: `python -m tests.support.settings_page`."""

from collections.abc import Iterable, Sequence

from groundwatch.launch.cli.commands import documented_commands
from groundwatch.pipeline.settings.definition import Setting, Settings, settings_of
from groundwatch.pipeline.settings.load import CommonSettings
from tests.support.repository import ROOT

PAGE = ROOT / "docs" / "configuration.md"
_HEAD = "| setting | meaning | values | default | commands |\n| --- | --- | --- | --- | --- |\n"


def reference_page(page: str, commands: Iterable[tuple[str, type[Settings]]]) -> str:
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
    default = "required" if field.is_required else field.default_with_unit or "none"
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


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(reference_page(page, documented_commands()), encoding="utf-8")
