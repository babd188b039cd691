"""Finding the files of `--input` and a place for the output."""

from pathlib import Path

import pytest

from groundwatch.launch.cli.paths import default_run_id, find_inputs, try_output
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.storage import buckets


def test_files_are_found_once_each_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.avro"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    problems: list[str] = []
    assert find_inputs("--input", ["*.jsonl", "a.*", "c.avro"], problems) == [
        "a.jsonl",
        "b.jsonl",
        "c.avro",
    ]
    assert problems == []


def test_a_file_is_read_once_whatever_paths_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.jsonl").touch()
    (tmp_path / "in" / "a.jsonl").symlink_to("b.jsonl")
    (tmp_path / "in" / "c.jsonl").hardlink_to(tmp_path / "in" / "b.jsonl")
    (tmp_path / "other").symlink_to("in")
    monkeypatch.chdir(tmp_path)
    problems: list[str] = []
    patterns = ["in/*.jsonl", "other/*.jsonl", "./in/b.jsonl", "gs://bucket/b.jsonl"]
    monkeypatch.setattr(buckets, "find", lambda pattern: [pattern])
    assert find_inputs("--input", patterns, problems) == ["./in/b.jsonl", "gs://bucket/b.jsonl"]
    assert find_inputs("--input", ["in/*.jsonl"], problems) == ["in/b.jsonl"]
    assert find_inputs("--input", ["in/a.jsonl"], problems) == ["in/a.jsonl"]
    assert find_inputs("--input", ["other/*.jsonl"], problems) == ["other/a.jsonl"]
    assert problems == []


def test_the_runs_own_results_are_not_read_unless_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = (
        *("enriched/r.avro", "failures/r.jsonl", "manifest/r.jsonl"),
        *("runs/r.json", "summary.json"),
    )
    for name in ("a.jsonl", "other/b.jsonl", *results, *(f"out/{name}" for name in results)):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    problems: list[str] = []
    other_results = [f"./{name}" for name in results]
    inputs = sorted(["./a.jsonl", "./other/b.jsonl", *other_results])
    found = find_inputs("--input", ["."], problems, "out")
    assert sorted(f"./{Path(each)}" for each in found) == inputs
    found = find_inputs("--input", ["**/*.jsonl"], problems, ".")
    assert found == ["a.jsonl", "other/b.jsonl", "out/failures/r.jsonl", "out/manifest/r.jsonl"]
    assert find_inputs("--input", ["out/enriched"], problems, "out") == ["out/enriched/r.avro"]
    assert problems == []


def test_each_pattern_that_matches_no_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a").touch()
    for name in ("b.jsonl", "e.jsonl.gz", "answers.csv", "answers.jsonl"):
        (tmp_path / name).touch()
    missing = ("b.json", "nofile.jsonl", "answer.jsonl", "answer.csv", "answers", "d.jsonl.gz")
    patterns = [str(tmp_path / name) for name in ("a", "folder", "nowhere/*", *missing)]
    problems: list[str] = []
    assert find_inputs("--input", patterns, problems) == patterns[:1]
    kinds = "only .jsonl, .ndjson, .json, .csv, .tsv, .avro and .parquet count"
    assert problems == [
        f"--input {tmp_path}/folder: no file matches; in a folder, {kinds}",
        f"--input {tmp_path}/nowhere/*: no file matches",
        f"--input {tmp_path}/b.json: no file matches; did you mean {tmp_path}/b.jsonl?",
        f"--input {tmp_path}/nofile.jsonl: no file matches",
        f"--input {tmp_path}/answer.jsonl: no file matches; did you mean {tmp_path}/answers.jsonl?",
        f"--input {tmp_path}/answer.csv: no file matches; did you mean {tmp_path}/answers.csv?",
        f"--input {tmp_path}/answers: no file matches; did you mean {tmp_path}/answers.jsonl?",
        f"--input {tmp_path}/d.jsonl.gz: no file matches",
    ]


def test_trying_the_output_leaves_nothing_and_keeps_what_a_crash_left(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path / "out"), run="run")
    left = Path(destination.temporary_path("enriched-1.avro"))
    left.parent.mkdir(parents=True)
    left.touch()
    problems: list[str] = []
    try_output(destination, problems)
    assert problems == []
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [left]


def test_a_run_is_named_after_its_input_whatever_the_order() -> None:
    assert default_run_id(["a", "b"]) == default_run_id(["b", "a"]) != default_run_id(["a"])
