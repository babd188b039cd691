"""Very long lines are counted once, become failures and do not fill the memory."""

import gzip
import io
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.pipeline.sources.archives import MAX_LINE_BYTES, read_archive, read_failures
from groundwatch.schemas.failure import failure_to_json
from groundwatch.schemas.message import Message, UnreadableAnswer
from groundwatch.schemas.wire.json_input import MAX_PAYLOAD_BYTES
from groundwatch.transforms.runtime.failures import failed_now
from tests.support.answer_messages import parse_answer
from tests.support.archives import COMPRESSED, an_envelope, buffered, lines_of, read_all
from tests.support.commands import run
from tests.support.outputs import failures_in, records_in, summary_in

GOOD = an_envelope(1)
KEPT_BYTES = MAX_PAYLOAD_BYTES + 1


def shape(message: Message) -> tuple[str, int, int | None]:
    return message.place, len(message.payload), message.whole_bytes


@pytest.mark.parametrize("pack", COMPRESSED.values(), ids=COMPRESSED)
def test_a_too_long_line_is_cut_and_the_next_lines_are_read(pack: Callable[[bytes], bytes]) -> None:
    long = b"[" + b" " * MAX_LINE_BYTES
    messages = read_all(pack(lines_of(GOOD, long, GOOD)), "x")
    assert [shape(message) for message in messages] == [
        ("x#1", len(GOOD), None),
        ("x#2", KEPT_BYTES, len(long)),
        ("x#3", len(GOOD), None),
    ]
    assert messages[1].payload == long[:KEPT_BYTES]


def test_the_longest_line_is_kept_whole() -> None:
    line = b"x" * MAX_LINE_BYTES
    [message] = read_all(line)
    assert (message.payload, message.whole_bytes) == (line, None)


@given(st.lists(st.integers(1, 60), max_size=8), st.integers(1, 50))
def test_every_line_is_one_message_of_its_length(lengths: list[int], most: int) -> None:
    content = lines_of(*(b"x" * length for length in lengths))
    messages = list(read_archive(buffered(io.BytesIO(content)), "x", max_line_bytes=most))
    assert [message.whole_bytes or len(message.payload) for message in messages] == lengths
    assert [message.whole_bytes is None for message in messages] == [
        length <= most for length in lengths
    ]


def test_a_cut_message_is_a_failure() -> None:
    message = Message(payload=GOOD, place="x#1", whole_bytes=50_000_000)
    with pytest.raises(UnreadableAnswer, match=r"^The message has 50000000 bytes, more than "):
        parse_answer(message)


def test_the_failure_of_the_longest_line_is_read_back_whole() -> None:
    message = Message(payload=b"x" * MAX_LINE_BYTES, place="x#1")
    error = UnreadableAnswer("The message has too many bytes.")
    failure = failed_now(message, "ParseAnswers", error, retryable=False)
    [again] = read_failures(
        buffered(io.BytesIO(failure_to_json(failure) + b"\n")), "failures.jsonl"
    )
    assert again.payload == message.payload


def test_a_line_without_an_end_takes_no_more_memory_than_the_longest_line() -> None:
    size = 4 * MAX_LINE_BYTES
    stream = io.BytesIO(b"x" * size)
    tracemalloc.start()
    try:
        [message] = read_archive(buffered(stream), "x")
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message.whole_bytes == size
    assert most_bytes < 2 * MAX_LINE_BYTES


# The high-water mark that getrusage knows is that of the process that forked, too.
_BACKFILL = """
import sys
from pathlib import Path
from groundwatch.launch.cli.main import main
status = main(["backfill", *sys.argv[1:]])
print(Path("/proc/self/status").read_text())
sys.exit(status)
"""


def peak_bytes(printed: str) -> int:
    """The most memory that the process held at once, as Linux tells it in KiB."""
    return int(printed.partition("VmHWM:")[2].split()[0]) * 1024


def test_a_backfill_counts_an_endless_line_once_and_stays_small(tmp_path: Path) -> None:
    archive, output = tmp_path / "answers.jsonl.gz", tmp_path / "out"
    with gzip.open(archive, "wb", compresslevel=1) as stream:
        stream.write(lines_of(GOOD))
        for _ in range(10):
            stream.write(b"x" * MAX_LINE_BYTES)
        stream.write(b"\n" + lines_of(an_envelope(2)))
    status, printed, _ = run("-c", _BACKFILL, "--input", str(archive), "--output", str(output))
    assert status == 0
    assert peak_bytes(printed) < 400_000_000
    [failure] = failures_in(output)
    assert failure["source"] == f"{archive}#2"
    assert f"has {10 * MAX_LINE_BYTES} bytes" in failure["error"]
    assert len(records_in(output)) == 2
    summary = summary_in(output)
    assert (summary["read"], summary["failures"], summary["closes"]) == (3, 1, True)
