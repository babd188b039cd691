"""What pyproject.toml asks for is pinned, and somebody says why."""

import re
import tomllib
from itertools import chain

import pytest

from tests.support.repository import ROOT

_NAME = re.compile(r"[\w.-]+")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _asked_for() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    found = (_NAME.match(requirement) for requirement in (*project["dependencies"], *extras))
    return {name[0] for name in found if name} - {"groundwatch"}


@pytest.mark.parametrize("name", sorted(_asked_for()))
def test_every_dependency_is_pinned_and_has_its_reason(name: str) -> None:
    pins = (ROOT / "launch/constraints.txt").read_text(encoding="utf-8").splitlines()
    assert _canonical(name) in {_canonical(pin.partition("==")[0]) for pin in pins}
    reasons = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    assert name in _NAME.findall(reasons)
