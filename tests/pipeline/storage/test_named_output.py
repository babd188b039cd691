"""What a person names as an output: a file is replaced whole, and nothing else is replaced."""

import os
import threading
from pathlib import Path

import pytest

from groundwatch.pipeline.storage.named_output import is_standard_output, is_stream, writing


def write(path: Path | str, content: bytes) -> None:
    with writing(str(path)) as stream:
        stream.write(content)


def test_a_file_is_replaced_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "new" / "table.csv"
    write(path, b"one")
    with writing(str(path)) as stream:
        stream.write(b"two")
        stream.flush()
        assert path.read_bytes() == b"one"
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_what_fails_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write(path, b"one")
    with pytest.raises(TypeError, match="bytes"):
        write(path, "no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_goes_on_leading_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    file, link = tmp_path / "2026.csv", tmp_path / "latest.csv"
    file.write_bytes(b"one")
    link.symlink_to(file.name)
    write(link, b"two")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"two")


def test_a_pipe_gets_the_content_and_stays_a_pipe(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    write(path, b"one")
    reader.join(60)
    assert read == [b"one"]
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_gets_the_content_and_stays_a_device() -> None:
    leader, follower = os.openpty()
    try:
        name = os.ttyname(follower)
        assert is_stream(name)
        write(name, b"one")
        assert os.read(leader, 3) == b"one"
        assert Path(name).is_char_device()
    finally:
        os.close(leader)
        os.close(follower)


@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_written_to(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    before = Path("/dev/stdout").is_symlink()
    write(path, b"one")
    assert capfd.readouterr().out == "one"
    assert is_standard_output(path)
    assert Path("/dev/stdout").is_symlink() == before
    assert not Path("-").exists()


@pytest.mark.parametrize("path", ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"])
def test_a_log_behind_standard_error_is_added_to(
    path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    os.write(2, b"one ")
    write(path, b"two ")
    os.write(2, b"three")
    assert capfd.readouterr().err == "one two three"
    assert is_stream(path)
    assert not is_standard_output(path)


def test_two_writers_of_one_file_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    with writing(str(path)) as first:
        first.write(b"first")
        with writing(str(path)) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_is_none_of_these_is_a_file(tmp_path: Path) -> None:
    assert not any(map(is_stream, (str(tmp_path), str(tmp_path / "new"), "gs://b/table.csv")))
