"""The examples of docs/formats.md: JSON, by the name of their carrier or format."""

import re
from typing import NamedTuple

from tests.support.repository import ROOT

PAGE = ROOT.joinpath("docs/formats.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^### `([^`]+)`\n\n[^\n]+\n\n```json\n([^\n]*)\n```$", re.MULTILINE)


def examples_in(page: str) -> dict[str, str]:
    """Return the examples of the page, also of another version."""
    return dict(_EXAMPLE.findall(page))


EXAMPLES = examples_in(PAGE)
_ENDS_SECTION = PAGE.partition("## Why an answer ended")[2].partition("\n## ")[0]
_END_ROW = re.compile(r"^\| (`[^|]+) \| [^|]+ \| (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)


class ExpectedEnd(NamedTuple):
    """What the page says of a reason: verdicts, None for those of the check, and the tag."""

    with_text: str | None
    without_text: str
    tag: str | None


def _cell(text: str) -> str | None:
    return None if text in ("checked", "-") else text.strip("`")


ENDS = {
    reason: ExpectedEnd(_cell(with_text), without_text.strip("`"), _cell(tag))
    for reasons, with_text, without_text, tag in _END_ROW.findall(_ENDS_SECTION)
    for reason in re.findall(r"`([^`]+)`", reasons)
}
"""The reasons for which answers end."""
