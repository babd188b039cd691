"""The same files, named in another way: the same run, finished, changed and interrupted."""

import os
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.pipeline import storage
from tests.support.archives import an_envelope, lines_of
from tests.support.fault_server import FaultServer, by_answer
from tests.support.outputs import distinct_ids_in, record_ids_in, summary_in
from tests.support.runs import an_archive
from tests.support.wire_faults import status

ANSWERS = 20
LINES = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(ANSWERS + 1)]

SPELLINGS: dict[str, tuple[str, list[str]]] = {
    "the folder before it": ("c", ["./in.jsonl"]),
    "the folder above it": ("c", ["../c/in.jsonl"]),
    "from another folder": ("other", ["../c/in.jsonl"]),
    "a pattern": ("c", ["*.jsonl"]),
    "its folder": ("c", ["."]),
    "its folder twice": ("c", ["../c", "../c/"]),
    "a link to its folder": ("c", ["../link/in.jsonl"]),
    "a link": ("c", ["../link.jsonl"]),
    "a hard link": ("c", ["../hard.jsonl"]),
}
"""Of each the working folder and `--input`; the first command is given `in.jsonl` in c."""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("c", "other"):
        (tmp_path / name).mkdir()
    an_archive(tmp_path / "c", *LINES[:ANSWERS], name="in.jsonl")
    (tmp_path / "link").symlink_to("c")
    (tmp_path / "link.jsonl").symlink_to("c/in.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "c" / "in.jsonl")
    monkeypatch.chdir(tmp_path / "c")
    return tmp_path


def backfill(inputs: list[str], *flags: str) -> int:
    return main(["backfill", "--input", *inputs, "--output", "../out", *flags])


def spelled_otherwise(name: str) -> list[str]:
    """Go to the working folder of a spelling; returns its paths."""
    folder, inputs = SPELLINGS[name]
    os.chdir(Path("..", folder))
    return inputs


@pytest.mark.parametrize("flags", [(), ("--run_id", "r")], ids=["", "named"])
@pytest.mark.parametrize("name", SPELLINGS)
def test_a_finished_run_is_shown_and_a_changed_one_replaced_only_when_asked(
    folders: Path, capsys: pytest.CaptureFixture[str], name: str, flags: tuple[str, ...]
) -> None:
    with FaultServer() as server:
        given = "--checker", server.address, *flags
        assert backfill(["in.jsonl"], *given) == 0
        inputs = spelled_otherwise(name)
        assert backfill(inputs, *given) == 0
        assert "this run finished at" in capsys.readouterr().err
        with (folders / "c" / "in.jsonl").open("ab") as stream:
            stream.write(lines_of(LINES[ANSWERS]))
        assert backfill(inputs, *given) == 2
        assert "in.jsonl has changed: nothing was checked" in capsys.readouterr().err
        assert server.requests == ANSWERS
        assert backfill(inputs, *given, "--again") == 0
    assert len(distinct_ids_in(folders / "out")) == len(LINES)
    assert len(summary_in(folders / "out")["runs"]) == 1


@pytest.mark.parametrize("name", SPELLINGS)
def test_an_interrupted_run_is_resumed(
    folders: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with FaultServer() as server:
        given = "--checker", server.address
        with monkeypatch.context() as patched:
            patched.setattr(storage, "publish_new", lambda *_: 1 / 0)
            assert backfill(["in.jsonl"], *given) == 1
        assert backfill(spelled_otherwise(name), *given) == 0
        assert server.requests == ANSWERS
    assert len(distinct_ids_in(folders / "out")) == ANSWERS
    assert len(summary_in(folders / "out")["runs"]) == 1


def test_a_file_beside_those_of_a_finished_run_is_named(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert backfill(["in.jsonl"]) == 0
    an_archive(folders / "c", *LINES[ANSWERS:], name="more.jsonl")
    assert backfill(["."]) == 2
    assert f"the input has other files (new: {folders}/c/more.jsonl)" in capsys.readouterr().err
    # Each of these reads no file that the run has read, or is a run of its own by its name.
    assert backfill(["more.jsonl"]) == 0
    assert backfill(["."], "--run_id", "both") == 0
    assert len(summary_in(folders / "out")["runs"]) == 3
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folders / "other")
        an_archive(folders / "other", *LINES[:1], name="in.jsonl")
        # The same name in another folder.
        assert backfill(["in.jsonl"]) == 0
    assert len(summary_in(folders / "out")["runs"]) == 4


REPLAYS = {
    "a pattern": ["../out/failures/*.jsonl"],
    "a link": ["../failures"],
    "from another folder": ["../../out/failures/*"],
}


@pytest.mark.parametrize("name", REPLAYS)
def test_an_interrupted_replay_is_resumed(
    folders: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    faults = {f"Lamp {number} glows.": status(503, "UNAVAILABLE") for number in range(5)}
    with FaultServer(by_answer(faults)) as server:
        given = "--checker", server.address, "--max_attempts", "1"
        assert backfill(["in.jsonl"], *given) == 3
        faults.clear()
        before = server.requests
        [failures] = (folders / "out" / "failures").iterdir()
        (folders / "failures").symlink_to("out/failures")
        output = "--output", str(folders / "out")
        with monkeypatch.context() as patched:
            patched.setattr(storage, "publish_new", lambda *_: 1 / 0)
            assert main(["replay", "--failures", str(failures), *output, *given]) == 1
        if name == "from another folder":
            (folders / "other" / "below").mkdir()
            monkeypatch.chdir(folders / "other" / "below")
        assert main(["replay", "--failures", *REPLAYS[name], *output, *given]) == 0
        assert server.requests == before + 5
    assert len(record_ids_in(folders / "out")) == ANSWERS
    assert len(summary_in(folders / "out")["runs"]) == 2
