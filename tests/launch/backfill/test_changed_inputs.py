"""Inputs that change while a run reads them, or before it is resumed: named, never lost."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.engine.journal import Journal
from tests.support.archives import an_envelope, lines_of
from tests.support.fault_server import FaultServer
from tests.support.limits import limited
from tests.support.outputs import distinct_ids_in, records_in, summary_in
from tests.support.runs import an_archive, backfill, crash_in, in_batches

ANSWERS = 36
"""In six batches."""

CHANGED = "it has changed since it was counted; give the same command again"
PACKS: dict[str, Callable[[bytes], bytes]] = {"jsonl": bytes, "jsonl.gz": gzip.compress}


def lamps(*numbers: int) -> bytes:
    return lines_of(*(an_envelope(number, answer=f"Lamp {number} glows.") for number in numbers))


def replace_by_another(path: Path, content: bytes) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(content)
    other.replace(path)


def rewrite(path: Path, content: bytes) -> None:
    """Keep its size, if it is not compressed."""
    path.write_bytes(content)


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


def change_at_commit(
    monkeypatch: pytest.MonkeyPatch, number: int, change: Callable[[], object]
) -> None:
    """Change the input when a batch is committed."""
    commit = Journal.commit

    def committing(journal: Journal, batch: int, *others: Any, **named: Any) -> None:
        commit(journal, batch, *others, **named)
        if batch == number:
            change()

    monkeypatch.setattr(Journal, "commit", committing)
    monkeypatch.setattr("groundwatch.launch.backfill.processes._THREADS", 1)


@pytest.mark.parametrize(
    ("change", "kind"),
    [(replace_by_another, "jsonl.gz"), (rewrite, "jsonl"), (append, "jsonl"), (append, "jsonl.gz")],
)
def test_a_file_that_changes_while_it_is_read_fails_the_run_by_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Path, bytes], None],
    kind: str,
) -> None:
    pack, output = PACKS[kind], tmp_path / "out"
    archive = tmp_path / f"answers.{kind}"
    archive.write_bytes(pack(lamps(*range(100, 100 + ANSWERS))))
    with monkeypatch.context() as patched:
        changed = pack(lamps(*range(200, 200 + ANSWERS)))
        change_at_commit(patched, 3, lambda: change(archive, changed))
        assert in_batches(archive, output) == 1
    assert f"cannot read {archive}: {CHANGED}" in capsys.readouterr().err
    assert records_in(output) == []
    expected = lines_in(archive, kind)
    assert in_batches(archive, output) == 0
    assert sorted(record["answer_text"] for record in records_in(output)) == expected
    assert summary_in(output)["read"] == len(expected)


def lines_in(archive: Path, kind: str) -> list[str]:
    content = archive.read_bytes()
    text = (gzip.decompress(content) if kind == "jsonl.gz" else content).decode()
    return sorted(part.split('"')[0] for part in text.split('"answer": "')[1:])


@limited(segment_messages=3)
def test_a_file_that_changes_when_it_is_read_whole_fails_the_run_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, *map(an_envelope, range(5)))
    (tmp_path / "later").mkdir()
    later = an_archive(tmp_path / "later", *map(an_envelope, range(5, 10)))
    output = tmp_path / "out"
    flags = "--input", str(later)
    with monkeypatch.context() as patched:
        # The second batch has the end of the first file.
        change_at_commit(patched, 1, lambda: append(archive, lines_of(an_envelope(10))))
        assert backfill(archive, output, *flags) == 1
    assert f"cannot read {archive}: {CHANGED}" in capsys.readouterr().err
    assert backfill(archive, output, *flags) == 0
    assert len(distinct_ids_in(output)) == 11


def test_a_file_that_vanishes_fails_the_run_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, *map(an_envelope, range(ANSWERS)))
    with monkeypatch.context() as patched:
        change_at_commit(patched, 3, archive.unlink)
        assert in_batches(archive, tmp_path / "out") == 1
    assert f"cannot read {archive}: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("has_same_times", [False, True])
def test_a_resumed_run_whose_input_has_changed_begins_anew_with_its_replies(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    has_same_times: bool,
) -> None:
    archive, output = tmp_path / "answers.jsonl", tmp_path / "out"
    archive.write_bytes(lamps(*range(ANSWERS)))
    with FaultServer() as server:
        flags = "--checker", server.address
        with monkeypatch.context() as patched:
            crash_in(patched, 5)
            assert in_batches(archive, output, *flags) == 1
        paid = server.requests
        status = archive.stat()
        append(archive, lamps(ANSWERS))
        if has_same_times:
            os.utime(archive, ns=(status.st_atime_ns, status.st_mtime_ns))
        capsys.readouterr()
        assert in_batches(archive, output, *flags) == 0
        assert f"{archive} has changed: a new run begins; {paid} checks" in capsys.readouterr().err
        assert server.requests == ANSWERS + 1
    assert len(distinct_ids_in(output)) == ANSWERS + 1
    assert summary_in(output)["calls"] == ANSWERS + 1


def test_another_file_that_matches_is_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_archive(tmp_path, *map(an_envelope, range(ANSWERS)), name="a.jsonl")
    with monkeypatch.context() as patched:
        crash_in(patched, 5)
        assert in_batches(tmp_path / "*.jsonl", tmp_path / "out") == 1
    an_archive(tmp_path, an_envelope(ANSWERS), name="b.jsonl")
    assert in_batches(tmp_path / "*.jsonl", tmp_path / "out") == 0
    assert len(distinct_ids_in(tmp_path / "out")) == ANSWERS + 1
