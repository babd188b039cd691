"""The page of benchmarks and its picture are drawn from docs/benchmarks.json."""

from pathlib import Path

from tests.benchmarks.peers import page

NAMES = ("benchmarks.json", "benchmarks.md", "benchmarks.svg")


def test_the_page_and_the_picture_are_what_the_results_file_draws(tmp_path: Path) -> None:
    page.write(page.read(), tmp_path)
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn == {name: (page.DOCS / name).read_bytes() for name in NAMES}
