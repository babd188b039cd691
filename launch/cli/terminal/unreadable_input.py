"""Print why an input could not be read, with hints."""

import codecs
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks.publication import read_manifest
from groundwatch.pipeline.sources.archives import has_checksums
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_lines
from groundwatch.pipeline.sources.output_records import FailureLine
from .exit_status import fail
from .figures import printable

SHOWN_FAULTS = 3
_HEAD_BYTES = 4_096
_SEARCHED_FAILURES = 100_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def fail_with(sentence: str, faults: Sequence[str], *hints: str) -> int:
    """Print why a command failed, the first faults, which hold no text of an answer, and hints."""
    shown = (*faults[:SHOWN_FAULTS], *hints)
    return fail("\n".join([sentence, *(f"  {printable(each)}" for each in shown)]))


def fail_unreadable(faults: Sequence[str], paths: Sequence[str]) -> int:
    """Print that no message could be read, the first faults, if any, and what may help."""
    first = paths[:SHOWN_FAULTS]
    shown = faults or [f"{path}: no message in it" for path in first]
    hints = filter(None, map(hint_for, first))
    return fail_with("nothing in the input could be read", shown, *islice(hints, 1))


def first_failures(destination: Destination, run: str, error_class: str | None = None) -> list[str]:
    """Describe the first failures of a run, of one class or of all; `run` is its summary's name."""
    found = _failures(destination, run)
    described = (_described(each) for each in found if error_class in (None, each.error_class))
    return list(islice(described, SHOWN_FAULTS))


def failure_examples(destination: Destination, run: str) -> list[str]:
    """Describe the first failure of each class of a run."""
    found: dict[str, str] = {}
    for each in _failures(destination, run):
        found.setdefault(each.error_class, _described(each))
    return list(found.values())


def _failures(destination: Destination, run: str) -> Iterator[FailureLine]:
    """Read failures of a run, of each of its files up to a number."""
    # A failure to print details must not hide the result of the run.
    with suppress(OSError, UnreadableFile):
        for entry in read_manifest(destination, run, "failures"):
            lines = read_lines(destination.path(entry.path), FailureLine)
            yield from islice(lines, _SEARCHED_FAILURES)


def _described(failure: FailureLine) -> str:
    return f"{failure.source}: {failure.error}"


def hint_for(path: str) -> str | None:
    """Say what a file looks like that nothing could be read from, and what to do."""
    try:
        with storage.read_ahead(path) as stream:
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
