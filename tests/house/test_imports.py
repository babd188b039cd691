"""A module imports what stands in its own folder, or below it, by a relative name."""

import ast
from pathlib import Path

import pytest

from tests.support.repository import ROOT, product_files

RUN_AS_A_FILE = {ROOT / "launch" / "deploy" / "dataflow" / "__main__.py"}
"""The image copies this out of its package, so it has no relative names."""

MODULES = [path for path in product_files() if path not in RUN_AS_A_FILE]


def full_names(source: str, package: str) -> list[str]:
    """List the modules of a package that a module in it imports by their full name."""
    imports = (each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ImportFrom))
    names = [each.module or "" for each in imports if not each.level]
    return [name for name in names if f"{name}.".startswith(f"{package}.") and name != package]


def package_of(path: Path) -> str:
    """Return the name of the package of a file, which is installed below groundwatch."""
    folders = path.relative_to(ROOT).parent.parts
    return ".".join(folders[1:] if folders[0] == "src" else ("groundwatch", *folders))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_stands_in_the_same_folder_is_imported_by_a_relative_name(path: Path) -> None:
    assert full_names(path.read_text(encoding="utf-8"), package_of(path)) == []


def test_a_full_name_is_found() -> None:
    source = "from groundwatch.launch.cli.main import main\nfrom .paths import x\nimport json\n"
    assert full_names(source, "groundwatch.launch") == ["groundwatch.launch.cli.main"]
