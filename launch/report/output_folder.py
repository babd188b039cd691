"""Find, read and write the files of an output folder."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar, cast

import msgspec

from pipeline import storage
from pipeline.sources.avro_files import AvroFile
from pipeline.sources.compression import DamagedArchive
from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.enriched_answer import is_enriched_schema
from schemas.quantities import to_us
from schemas.verdict import Verdict
from transforms.rules.redaction import is_hashed
from transforms.rules.tagging import Thresholds

ASSESSED = frozenset({Verdict.GROUNDED, Verdict.LOW_GROUNDED})
"""The verdicts that say whether an answer is supported; low-grounded shares are of these."""

_MAX_CHARACTERS = 300


class CheckUsage(Record, frozen=True, kw_only=True):
    """What the check of an answer used; named as in `enriched_answer.avsc`."""

    checker: str | None = None
    calls: int = 0
    attempts: int = 0
    characters: int = 0
    latency_ms: int = 0
    cached: bool = False


class AnswerRow(Record, frozen=True, kw_only=True):
    """A row of `enriched_answer.avsc`; fields that a released schema lacks have defaults."""

    record_id: str
    answer_name: str | None = None
    engine: str | None = None
    session: str | None = None
    event_time: datetime | None = None
    query: str | None = None
    answer_text: str = ""
    verdict: str
    verdict_reason: str
    tags: tuple[str, ...] = ()
    skip_reasons: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    score_drift: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()
    mismatches: tuple[Contradiction, ...] = ()
    check: CheckUsage | None = None

    @property
    def event_time_us(self) -> int | None:
        """Microseconds since 1970 UTC."""
        return None if self.event_time is None else to_us(self.event_time)

    def sources(self) -> dict[str, str | None]:
        """Map the documents of the facts, by resource name, URI or title, to their kept titles."""
        sources: dict[str, str | None] = {}
        for fact in self.facts:
            title = kept_title(fact.title)
            key = cut_name(fact.document or fact.uri or title)
            if key:
                sources.setdefault(key, title)
        return sources


class RateState(Record, frozen=True, kw_only=True):
    """The state of a rate alert; named as in `alert.avsc`."""

    signal: str = ""
    state: str = ""
    share: float = 0.0
    burn_rate: float = 0.0
    answers: int = 0


class AlertLine(Record, frozen=True, kw_only=True):
    """A line of the alerts; named as in `alert.avsc`."""

    kind: str = ""
    severity: str = ""
    engine: str | None = None
    event_time: str | None = None
    rate: RateState | None = None


class FailureLine(Record, frozen=True, kw_only=True):
    """A line of the failures; named as in `failure.avsc`."""

    record_id: str | None = None
    source: str = ""
    step: str = ""
    error_class: str = ""
    error: str = ""
    retryable: bool = False


class RunSummary(Record, frozen=True, kw_only=True):
    """The fields of `summary.json` in the report; None where the summary lacks one."""

    checker: str | None = None
    read: int | None = None
    enriched: int | None = None
    failures: int | None = None
    duplicates: int | None = None
    sampled_out: int | None = None
    cost: float | None = None
    closes: bool | None = None
    thresholds: Thresholds | None = None


def kept_title(title: str | None) -> str | None:
    """Return a title cut to the length of a table cell; None if only its hash was kept."""
    return None if not title or is_hashed(title) else cut_name(title)


def cut_name(name: str | None, max_characters: int = _MAX_CHARACTERS) -> str | None:
    """Cut an untrusted name to a length that a table can show."""
    return name and name[:max_characters]


_Line = TypeVar("_Line", AlertLine, FailureLine)


class UnreadableFile(Exception):
    """A file is damaged, or is not groundwatch's; the message quotes no content."""


class OutputFiles(Record, frozen=True, kw_only=True):
    """The sorted paths of an output folder's files, of all runs that wrote there."""

    enriched: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    summary: str | None = None


def find_files(folder: str) -> OutputFiles:
    """List the files of an output folder."""

    def files_of(kind: str, extension: str) -> tuple[str, ...]:
        root = storage.join(folder, kind)
        paths = (path for path in storage.find_below(root) if path.endswith(extension))
        return tuple(path for path in paths if "/." not in path.removeprefix(root))

    return OutputFiles(
        enriched=files_of("enriched", ".avro"),
        alerts=files_of("alerts", ".jsonl"),
        failures=files_of("failures", ".jsonl"),
        summary=next(iter(storage.find(storage.join(folder, "summary.json"))), None),
    )


def read_answers(path: str, *, salvage: bool = False) -> Iterator[AnswerRow]:
    """Read the rows of an enriched file; raise UnreadableFile after the last good one.

    Whole rows: projecting them with a reader schema takes fastavro longer than reading them
    (tests/benchmarks/report_speed.py). With `salvage`, the rows of a damaged block are read up to
    the damage.
    """
    with (
        _explain_damage(path),
        storage.read(path) as raw,
        io.BufferedReader(cast("io.RawIOBase", raw)) as stream,
    ):
        file = AvroFile(stream, handle_unicode_errors="replace")
        if not is_enriched_schema(file.schema):
            raise UnreadableFile(f"{path}: holds no enriched answers")
        for block in file.blocks(salvage=salvage):
            for row in block.rows:
                yield msgspec.convert(row, AnswerRow)


def read_lines(path: str, kind: type[_Line]) -> Iterator[_Line]:
    """Read alerts or failures; raise UnreadableFile after the last good line."""
    decoder = msgspec.json.Decoder(kind)
    with _explain_damage(path), storage.read(path) as stream:
        for line in stream:
            yield decoder.decode(line)


def read_summary(path: str) -> RunSummary:
    """Read summary.json; raise UnreadableFile if it is not a summary."""
    with _explain_damage(path):
        return msgspec.json.decode(storage.read_whole(path), type=RunSummary)


def write_file(path: str, content: bytes) -> None:
    """Write a file atomically: a reader sees its earlier content, or all of the new."""
    folder, slash, name = path.rpartition("/")
    temporary = f"{folder}{slash}.groundwatch-{name}"
    try:
        storage.write_whole(path, content, temporary)
    except OSError:
        storage.remove([temporary])
        raise


@contextmanager
def _explain_damage(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnreadableFile(f"{path}: cannot be read: {error.strerror or error}") from None
    except DamagedArchive as error:
        raise UnreadableFile(f"{path}: is damaged: {error}") from None
    except msgspec.MsgspecError as error:
        raise UnreadableFile(f"{path}: is damaged: {type(error).__name__}") from None
