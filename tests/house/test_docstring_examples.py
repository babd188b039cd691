"""The examples in docstrings of the product are run."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = "launch", "pipeline", "schemas", "transforms"
MODULES = sorted(
    ".".join(("groundwatch", *path.relative_to(ROOT).with_suffix("").parts))
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_an_example_returns_what_it_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted, f"{name} has an example outside its docstrings"
    assert not found.failed, capsys.readouterr().out


def test_functions_that_are_hard_to_read_have_examples() -> None:
    assert len(MODULES) > 15
