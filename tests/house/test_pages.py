"""The documentation names files that exist."""

import re
from pathlib import Path

import pytest

import launch

ROOT = Path(launch.__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *ROOT.glob("docs/*.md"),
]
EXAMPLES = {
    # docs/extending.md adds these.
    *("transforms/formats/carriers/acme_export.py", "transforms/formats/acme_chat.py"),
    *("my_checker.py", "launch/commands/verdicts.py"),
    # So does docs/rag_service.md.
    "answer_log.py",
}


def named_files(page: Path) -> set[str]:
    """Return the Python files that a page names in code, and the files that it links to."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+\.py)`", text))
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    return (named | {str((page.parent / link).resolve()) for link in links}) - EXAMPLES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_files_that_exist(page: Path) -> None:
    files = {f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*") if ".venv" not in path.parts}
    missing = {
        name
        for name in named_files(page)
        if not Path(name).exists() and not any(path.endswith(f"/{name}") for path in files)
    }
    assert missing == set()
