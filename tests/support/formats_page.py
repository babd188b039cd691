"""The examples of docs/formats.md, by the name of their carrier or format."""

import re
from pathlib import Path

import launch

PAGE = Path(launch.__file__).parents[1].joinpath("docs/formats.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^### `([^`]+)`\n\n[^\n]+\n\n```json\n([^\n]*)\n```$", re.MULTILINE)
EXAMPLES: dict[str, str] = dict(_EXAMPLE.findall(PAGE))
