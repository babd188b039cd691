"""The page of benchmarks is what its code makes of what the last run found."""

from pathlib import Path

import pytest

from tests.benchmarks.peers import page

NAMES = ("benchmarks.json", "benchmarks.md", "benchmarks.svg")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_it_was_typed_by_hand(name: str, tmp_path: Path) -> None:
    page.write(page.read(), tmp_path)
    assert (tmp_path / name).read_bytes() == (page.DOCS / name).read_bytes()
