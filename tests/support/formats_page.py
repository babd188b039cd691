"""The examples of docs/formats.md, by the name of their carrier or format."""

import re

from tests.support.repository import ROOT

PAGE = ROOT.joinpath("docs/formats.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^### `([^`]+)`\n\n[^\n]+\n\n```json\n([^\n]*)\n```$", re.MULTILINE)
EXAMPLES: dict[str, str] = dict(_EXAMPLE.findall(PAGE))
