"""The examples that docs/formats.md links to, by the name of their carrier or format."""

import json
import re
from typing import NamedTuple

from tests.support.repository import ROOT

PAGE = ROOT.joinpath("docs/formats.md").read_text(encoding="utf-8")
_LINK = re.compile(r"^- \[`([^`]+)`\]\(\.\./(tests/data/formats/[^)]+)\): ", re.MULTILINE)
EXAMPLES = {
    name: json.dumps(json.loads(ROOT.joinpath(path).read_text(encoding="utf-8")))
    for name, path in _LINK.findall(PAGE)
}
"""Each example as one line of JSON."""
_ENDS_SECTION = PAGE.partition("## Why an answer ended")[2].partition("\n## ")[0]
_END_ROW = re.compile(r"^\| (`[^|]+) \| (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)


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
