"""The documentation names files that exist."""

import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.launch.cli.placement import beam_flag_names
from groundwatch.pipeline.settings.definition import settings_of
from tests.support.repository import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *ROOT.glob("docs/*.md"),
]
EXAMPLES = {
    # docs/extending.md adds these.
    *("transforms/formats/carriers/acme_export.py", "transforms/formats/acme_chat.py"),
    *("my_checker.py", "launch/cli/commands/verdicts.py"),
    # So do docs/rag_service.md and docs/checkers.md.
    *("answer_log.py", "my_checks.py"),
    # docs/own_model.md has these.
    *("make_pairs.py", "train_model.py", "export_model.py"),
}


def named_files(page: Path) -> set[str]:
    """Return the Python files that a page names in code, and the files that it links to."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+\.py)`", text))
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    return (named | {str((page.parent / link).resolve()) for link in links}) - EXAMPLES


def headings_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_heading(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", page.read_text(encoding="utf-8"))
    missing = [
        (path, anchor)
        for path, anchor in links
        if anchor not in headings_of(page.parent / path if path else page)
    ]
    assert missing == []


def test_the_way_to_the_socket_names_functions_that_exist() -> None:
    page = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.partition("### From the step to the socket")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `([\w.]+)` \| `([\w/]+)\.py` \|", section, re.MULTILINE)
    assert 2 < len(rows) <= 10
    for function, path in rows:
        module = import_module(f"transforms.{path.replace('/', '.')}")
        assert callable(attrgetter(function)(module))


@pytest.fixture(scope="module")
def files() -> set[str]:
    """All files of the repository, as paths below its root."""
    return {f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*") if ".venv" not in path.parts}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_files_that_exist(page: Path, files: set[str]) -> None:
    missing = {
        name
        for name in named_files(page)
        if not Path(name).exists() and not any(path.endswith(f"/{name}") for path in files)
    }
    assert missing == set()


def test_the_page_on_scale_names_flags_that_exist() -> None:
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z0-9_]+)", page))
    known = {
        setting.name
        for command in (WatchStreamSettings, BackfillSettings)
        for setting in settings_of(command)
    }
    assert named - {*beam_flag_names()} <= known
