"""Names of code in the documentation, such as those of methods, modules and fields, exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.documented_commands import PAGES
from tests.support.repository import FOLDERS, ROOT

_NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?|[a-z_]\w*\(\))`")
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_CODE = {".avsc", ".json", ".py", ".sql", ".tf", ".toml", ".yaml", ".yml"}
# test_pages.py looks for files of code; others are those of the reader.
_FILE = re.compile(r"\.(py|json|jsonl|md|toml|yaml)$")


@cache
def sources() -> list[tuple[str, frozenset[str]]]:
    """Return the text of each file, and its words with those of its path."""
    folders = (ROOT / name for name in (*FOLDERS, "tests"))
    paths = [path for folder in folders for path in folder.rglob("*.*") if path.is_file()]
    found = []
    for path in [*paths, ROOT / "pyproject.toml"]:
        if path.suffix in _CODE:
            text = path.read_text(encoding="utf-8")
            place = path.relative_to(ROOT).with_suffix("").parts
            found.append((text, frozenset((*re.findall(r"\w+", text), *place, "groundwatch"))))
    return found


def exists(name: str) -> bool:
    """Return whether a file has the whole name, or its parts and the class that they are of."""
    parts = name.removesuffix("()").split(".")
    owner = rf"\b(class|import) .*\b{parts[0]}\b" if parts[0][0].isupper() else ""
    return any(
        name in text or (words.issuperset(parts) and re.search(owner, text))
        for text, words in sources()
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_in_the_code(page: Path) -> None:
    named = set(_NAME.findall(_BLOCK.sub("", page.read_text(encoding="utf-8"))))
    assert {name for name in named if not _FILE.search(name) and not exists(name)} == set()
