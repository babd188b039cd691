"""Read the messages of archives."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from groundwatch.launch.cli.archive_messages import ArchiveMessages
from tests.support.archives import an_envelope, lines_of, payloads
from tests.support.runs import an_archive

LINES = [an_envelope(number) for number in range(600)]


def test_all_archives_are_read_in_their_order(tmp_path: Path) -> None:
    first = an_archive(tmp_path, *LINES[:300], name="a.jsonl")
    second = tmp_path / "b.jsonl.gz"
    second.write_bytes(gzip.compress(lines_of(*LINES[300:])))
    messages = ArchiveMessages([str(first), str(second)])
    assert payloads(messages) == LINES
    assert messages.damaged == []


def test_a_truncated_archive_is_reported_and_the_next_is_read(tmp_path: Path) -> None:
    cut, whole = tmp_path / "a.jsonl.gz", an_archive(tmp_path, LINES[0], name="b.jsonl")
    cut.write_bytes(gzip.compress(lines_of(*LINES))[:-9])
    messages = ArchiveMessages([str(cut), str(whole)])
    assert payloads(messages) == [LINES[0]]
    [damage] = messages.damaged
    assert damage.startswith(f"{cut}#after-record-0: gzip member 1, from byte 0, is damaged")


def test_an_archive_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = an_archive(tmp_path, *LINES)
    messages = iter(ArchiveMessages([str(path), str(tmp_path)]))
    with pytest.raises(OSError, match=str(tmp_path)):
        list(messages)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_is_drawn_on_a_terminal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert len(list(ArchiveMessages([str(an_archive(tmp_path, *LINES))]))) == len(LINES)
    assert ("reading" in screen.getvalue()) is is_terminal
