"""What every file and every function of the house keeps to: they are short."""

import ast
from collections.abc import Iterator
from pathlib import Path

import launch

ROOT = Path(launch.__file__).parents[1]
FOLDERS = ("launch", "pipeline", "schemas", "tests", "transforms")
MOST_FILE_LINES = 300
MOST_FUNCTION_LINES = 40

SOURCES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
}
TREES = {name: ast.parse(source) for name, source in SOURCES.items()}


def functions_in(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From ``def`` to the last line, whatever is in between."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_no_file_is_longer_than_one_reads_at_a_stretch() -> None:
    long = {name: len(source.splitlines()) for name, source in SOURCES.items()}
    assert {name: lines for name, lines in long.items() if lines > MOST_FILE_LINES} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{name}:{function.lineno} {function.name}": lines_of(function)
        for name, tree in TREES.items()
        for function in functions_in(tree)
    }
    assert {place: lines for place, lines in long.items() if lines > MOST_FUNCTION_LINES} == {}
