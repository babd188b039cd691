"""The page of benchmarks is what its code makes of what the last run found."""

from pathlib import Path

import pytest

from tests.benchmarks.peers import page
from tests.benchmarks.peers.contenders import CONTENDERS

NAMES = ("benchmarks.json", "benchmarks.md", "benchmarks.svg")
RESULTS = page.read()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_it_was_typed_by_hand(name: str, tmp_path: Path) -> None:
    page.write(RESULTS, tmp_path)
    assert (tmp_path / name).read_bytes() == (page.DOCS / name).read_bytes()


def test_everybody_was_measured() -> None:
    assert [one.key for one in RESULTS.measured] == [one.key for one in CONTENDERS]


def test_the_page_has_the_versions_of_all_packages() -> None:
    assert {name for one in CONTENDERS for name in one.packages} <= set(RESULTS.versions)
