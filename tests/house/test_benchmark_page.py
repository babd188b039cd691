"""The page of benchmarks is what its code makes of what the last run found."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.benchmarks.peers import page
from tests.benchmarks.peers.chart import Panel, chart
from tests.benchmarks.peers.contenders import CONTENDERS
from tests.benchmarks.peers.results import Variant

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


def test_what_it_links_to_is_there() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", page.page(RESULTS))
    assert linked
    assert [name for name in linked if not (page.DOCS / name).exists()] == []


def test_no_line_of_a_table_is_broken() -> None:
    speeds = {one.key: one.speed for one in RESULTS.measured[:3]}
    variant = Variant(title="in bursts", in_flight=9, least_ms=1, most_ms=2, speeds=speeds)
    blocks = page.page(replace(RESULTS, variants=(variant,))).strip().split("\n\n")
    tables = [block.split("\n") for block in blocks if block.startswith("|")]
    assert [len(table) for table in tables if "in bursts" in table[-1]] == [5]
    assert len(tables) == 7
    assert all(len({row.count("|") for row in table}) == 1 for table in tables)


def test_the_longest_bar_is_full_and_none_is_invisible() -> None:
    panel = Panel(title="<t>", detail="", better="less", values=[0, 1, 2], texts=["0", "1", "2"])
    drawing = ET.fromstring(chart(["a & b", "c", "d"], [panel]))  # noqa: S314 - we made it
    bars = [one for one in drawing.findall(".//{*}rect") if "bar" in str(one.get("class"))]
    assert [float(str(bar.get("width"))) for bar in bars] == [1.5, 48.0, 96.0]


def test_a_panel_of_nothing_but_zeros_can_be_drawn() -> None:
    panel = Panel(title="lost", detail="", better="less", values=[0, 0], texts=["0", "0"])
    assert chart(["a", "b"], [panel]).count('width="1.5"') == 2
