"""docs/formats.md lists the first paths of presets, and its example of --map is read as it says."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from groundwatch.launch.cli.main import main
from groundwatch.transforms.formats.field_maps.presets import INPUT, OUTPUT, PRESETS, Preset
from tests.support.outputs import records_in
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
LISTED = ("query", "answer", "facts")
SHAPES = {"input": INPUT, "output": OUTPUT}
MAPPING = PAGE.partition("## Any other JSON")[2].partition("\n## ")[0]
BLOCKS = dict(re.findall(r"```(json|sh|yaml)\n(.*?)```", MAPPING, re.DOTALL))


def row_of(preset: Preset) -> str:
    paths = preset.field_map.paths

    def cell(field: str) -> str:
        """Name the first of its own paths and of the places of the shapes."""
        shared = {
            path.text.replace("$", place)
            for side, place in preset.places
            for path in SHAPES[side].paths.get(field, ())
        }
        own = [f"`{path.text}`" for path in paths.get(field, ()) if path.text not in shared]
        places = [
            f"{side} at `{place}`" for side, place in preset.places if field in SHAPES[side].paths
        ]
        first, *others = *own, *places, "-"
        return f"{first} …" if others[:-1] else first

    return f"| `{preset.name}` | {' | '.join(map(cell, LISTED))} |\n"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_page_lists_the_first_paths_of_a_preset(preset: Preset) -> None:
    assert row_of(preset) in PAGE


def test_the_example_of_a_map_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text(BLOCKS["json"], encoding="utf-8")
    Path("map.yaml").write_text(BLOCKS["yaml"], encoding="utf-8")
    _, *command = shlex.split(BLOCKS["sh"])
    # The flags are compared with the file below.
    assert main([*command[: command.index("--map")], "--config", "map.yaml"]) == 0
    [record] = records_in(tmp_path / "out" / "rows")
    assert (record["answer_name"], record["answer_text"]) == ("7", "Lamps glow in the dark.")
    assert [fact["text"] for fact in record["facts"]] == ["Lamps glow.", "The dark is dark."]
    assert record["facts"][0]["uri"] == "lamps.md"


def test_the_map_in_a_file_is_that_of_the_flags() -> None:
    pairs = yaml.safe_load(BLOCKS["yaml"])["map"]
    flags = shlex.split(BLOCKS["sh"])
    assert [f"{field}={path}" for field, path in pairs.items()] == flags[flags.index("--map") + 1 :]


def test_what_inspect_suggests_on_the_page_is_what_it_suggests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text(BLOCKS["json"], encoding="utf-8")
    assert main(["inspect", "rows.jsonl"]) == 1
    shown = PAGE.partition("## Look at a file")[2].split("```\n")[2]
    assert capsys.readouterr().out.strip() == shown.strip()
