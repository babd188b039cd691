"""What every file of the house keeps to: it is short, and a step says what it takes and gives."""

import ast
from collections.abc import Iterator
from pathlib import Path

import launch

ROOT = Path(launch.__file__).parents[1]
FOLDERS = ("launch", "pipeline", "schemas", "tests", "transforms")
MOST_FILE_LINES = 300
MOST_FUNCTION_LINES = 40
STEP_SECTIONS = ("Input:", "Output:", "Failures:", "Delivery:")

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


def steps_in(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """The public classes that are transforms of Beam's."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and is_step(node):
            yield node


def is_step(node: ast.ClassDef) -> bool:
    return not node.name.startswith("_") and "beam.PTransform" in map(ast.unparse, node.bases)


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


def test_every_step_says_what_goes_in_what_comes_out_what_fails_and_how_often() -> None:
    silent = {
        f"{name} {step.name}: {section}"
        for name, tree in TREES.items()
        if not name.startswith("tests/")
        for step in steps_in(tree)
        for section in STEP_SECTIONS
        if section not in (ast.get_docstring(step) or "")
    }
    assert silent == set()
