"""Print why an input could not be read, with hints."""

import codecs
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import cast

from launch.outputs.output_folder import UnreadableFile, read_lines
from launch.outputs.output_records import FailureLine
from launch.terminal.exit_status import fail
from launch.terminal.figures import printable
from pipeline import storage
from pipeline.settings.config import Destination
from pipeline.sinks.publication import read_manifest
from pipeline.sources.archives import has_checksums

SHOWN_FAULTS = 3
_HEAD_BYTES = 4_096
_SEARCHED_FAILURES = 100_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def fail_with(sentence: str, faults: Sequence[str]) -> int:
    """Print why a command failed, with the first faults, which hold no text of an answer."""
    return fail("\n".join([sentence, *(f"  {printable(fault)}" for fault in faults)]))


def fail_unreadable(faults: Sequence[str], paths: Sequence[str]) -> int:
    """Print that no message could be read, the first faults, if any, and what may help."""
    first = paths[:SHOWN_FAULTS]
    shown = faults[:SHOWN_FAULTS] or [f"{path}: no message in it" for path in first]
    hints = filter(None, map(hint_for, first))
    return fail_with("nothing in the input could be read", [*shown, *islice(hints, 1)])


def first_failures(destination: Destination, run: str, error_class: str | None = None) -> list[str]:
    """Read the places and messages of the first failures of a run, of one class or of all.

    `run` is the name in its summary.
    """
    found: list[str] = []
    # A failure to print details must not hide the result of the run.
    with suppress(OSError, UnreadableFile):
        for entry in read_manifest(destination, run, "failures"):
            failures = read_lines(destination.path(entry.path), FailureLine)
            for failure in islice(failures, _SEARCHED_FAILURES):
                if error_class in (None, failure.error_class):
                    found.append(f"{failure.source}: {failure.error}")
                if len(found) == SHOWN_FAULTS:
                    return found
    return found


def failure_examples(destination: Destination, run: str) -> list[str]:
    """Read the first failure of each class of a run, with its place."""
    found: dict[str, str] = {}
    # A failure to print details must not hide the result of the run.
    with suppress(OSError, UnreadableFile):
        for entry in read_manifest(destination, run, "failures"):
            lines = read_lines(destination.path(entry.path), FailureLine)
            for each in islice(lines, _SEARCHED_FAILURES):
                found.setdefault(each.error_class, f"{each.source}: {each.error}")
    return list(found.values())


def hint_for(path: str) -> str | None:
    """Say what a file looks like that nothing could be read from, and what to do."""
    try:
        with storage.read(path) as raw, io.BufferedReader(cast("io.RawIOBase", raw)) as stream:
            if has_checksums(stream):
                return None
            head = stream.read(_HEAD_BYTES)
    except OSError:
        return None
    return next((f"{path} {hint}" for hint in _hints(head, path.lower())), None)


def _hints(head: bytes, name: str) -> Iterator[str]:
    if head.startswith(b"PK\x03\x04"):
        yield "looks like a zip archive or an Excel file: save it as CSV or JSON Lines"
    elif head.startswith(_UTF16_MARKS) or head.count(b"\0") > len(head) // 4:
        yield "looks like UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"
    elif not _is_utf8(head):
        yield "is not UTF-8: convert it, such as by iconv -f WINDOWS-1252 -t UTF-8"
    first_line, *others = head.strip().split(b"\n")
    begin, end = first_line[:1], first_line.rstrip()[-1:]
    if begin not in (b"[", b"{"):
        if (b"," in first_line or b"\t" in first_line) and not name.endswith((".csv", ".tsv")):
            yield "looks like CSV or TSV: let its name end in .csv or .tsv"
    elif others and end not in (b"]", b"}"):
        program = "jq -c '.[]'" if begin == b"[" else "jq -c ."
        yield f"looks like JSON over several lines: write one object a line ({program})"


def _is_utf8(head: bytes) -> bool:
    try:
        # The last character may be cut.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
