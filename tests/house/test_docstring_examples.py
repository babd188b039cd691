"""The examples in docstrings of the product are run."""

import doctest
from importlib import import_module

import pytest

from tests.support.repository import ROOT, product_files

MODULES = [
    ".".join(("groundwatch", *path.relative_to(ROOT).with_suffix("").parts))
    for path in product_files()
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_an_example_returns_what_it_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted, f"{name} has an example outside its docstrings"
    assert not found.failed, capsys.readouterr().out


def test_functions_that_are_hard_to_read_have_examples() -> None:
    assert len(MODULES) > 15
