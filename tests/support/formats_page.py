"""The examples of docs/formats.md: JSON, by the name of their carrier or format."""

import re

from tests.support.repository import ROOT

PAGE = ROOT.joinpath("docs/formats.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^### `([^`]+)`\n\n[^\n]+\n\n```json\n([^\n]*)\n```$", re.MULTILINE)


def examples_in(page: str) -> dict[str, str]:
    """Return the examples of the page, also of another version."""
    return dict(_EXAMPLE.findall(page))


EXAMPLES = examples_in(PAGE)
