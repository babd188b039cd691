"""Write untrusted text and tables in GitHub's Markdown."""

import re
from collections.abc import Iterable, Sequence

from groundwatch.launch.cli.terminal.figures import NOTHING
from groundwatch.transforms.rules.spans import without_controls

_MAX_CHARACTERS = 240
_BACKTICKS = re.compile("`+")


def code_span(text: str | None) -> str:
    r"""Write untrusted text as code, so that it formats nothing, links nowhere and mentions nobody.

    The text is on one line, and cut at 240 characters. A table's cell can hold it.

    >>> code_span("@all <b> | *c*")
    '`@all <b> \\| *c*`'
    >>> code_span("a `tick`")
    '`` a `tick` ``'
    """
    line = " ".join(without_controls(text or "").split())
    if not line:
        return NOTHING
    if len(line) > _MAX_CHARACTERS:
        line = f"{line[:_MAX_CHARACTERS]}…"
    # A backslash of the text would escape the one that escapes the pipe.
    line = line.replace("\\|", "\\ |").replace("|", "\\|")
    longest = max(map(len, _BACKTICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"`{line}`"


def table_lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Write a table; a column whose name begins with # holds numbers.

    >>> table_lines(["Verdict", "#Answers"], [["Grounded", "3"]])
    ['| Verdict | Answers |', '| --- | ---: |', '| Grounded | 3 |']
    """
    names = [each.removeprefix("#") for each in columns]
    rules = ["---:" if each.startswith("#") else "---" for each in columns]
    return [f"| {' | '.join(cells)} |" for cells in (names, rules, *rows)]
