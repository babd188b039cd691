"""What pyproject.toml asks for is pinned, and somebody says why."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from itertools import chain

from tests.support.repository import ROOT, product_files

_NAME = re.compile(r"[\w.-]+")
# google-auth[requests] brings requests.
_NOT_ASKED_FOR = {"groundwatch", "requests"}
# Python 3.14 has `compression`.
_STANDARD = sys.stdlib_module_names | {"compression"}


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _asked_for() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    found = (_NAME.match(requirement) for requirement in (*project["dependencies"], *extras))
    return {name[0] for name in found if name} - {"groundwatch"}


def test_every_dependency_is_pinned_and_has_its_reason() -> None:
    pins = (ROOT / "launch/constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_canonical(pin.partition("==")[0]) for pin in pins}
    assert {*map(_canonical, _asked_for())} <= pinned
    reasons = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    assert _asked_for() <= {*_NAME.findall(reasons)}


def _imported() -> Iterator[str]:
    """The top-level packages that the product imports, beyond the standard library."""
    for path in product_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    yield from (alias.name.partition(".")[0] for alias in names)
                case ast.ImportFrom(module=str(module), level=0):
                    yield module.partition(".")[0]


def test_every_package_that_is_imported_is_asked_for() -> None:
    asked_for, providers = {*map(_canonical, _asked_for())}, packages_distributions()
    imported = {*_imported()} - _STANDARD - _NOT_ASKED_FOR
    missing = {each for each in imported if not asked_for & {*map(_canonical, providers[each])}}
    assert missing == set()
