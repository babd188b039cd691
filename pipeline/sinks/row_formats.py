"""Encode each kind of row, in files and as messages of a topic."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from io import BytesIO
from operator import attrgetter
from typing import IO, Any, NamedTuple

import fastavro
from fastavro import parse_schema
from fastavro.write import Writer

from pipeline.settings.config import Config
from pipeline.sinks.avro_encoder import AvroBlocks, compile_encoder
from pipeline.sinks.topic_messages import MAX_DATA_BYTES, TopicMessage, build_message
from schemas.alert import Alert, alert_to_json
from schemas.avro import load_schema
from schemas.enriched_answer import EnrichedAnswer
from schemas.failure import Failure, failure_to_json
from schemas.quantities import DAY_US, to_date
from transforms.persistence.seen_ids import record_key
from transforms.rules.redaction import TextMode, redact, without_evidence, without_fact_texts
from transforms.runtime import clock

_NO_DATE = "__HIVE_DEFAULT_PARTITION__"
# How far before and after now an event date may be to get a folder of its own.
_OLDEST_US, _LATEST_US = 3_653 * DAY_US, 2 * DAY_US
_MAX_TEXT_BYTES = 100_000  # of each of the dozen texts that are left of a record over 10 MB
_HEADER_BYTES = 256 * 1024  # More than any header, whose schema takes some 6 KB


class RowFormat(ABC):
    """Encode one kind of row, by default as lines. Instances are pickled."""

    kind: str
    extension = "jsonl"
    event_time_us: "attrgetter[int | None]" = attrgetter("event_time_us")

    def start(self) -> None:  # noqa: B027 - few formats keep anything
        """Begin a bundle."""

    def folder(self, _: Any) -> str:
        """Return the folder of a row, relative to the output folder."""
        return self.kind

    def key(self, _: Any) -> bytes:
        """Return the key of a row, empty where none is needed."""
        return b""

    @abstractmethod
    def encode(self, row: Any) -> Any:
        """Return what a writer takes."""

    def open(self, stream: IO[bytes]) -> Any:
        """Write a file's header; return its writer with the methods `write` and `flush`."""
        return stream

    def skip_header(self, stream: IO[bytes]) -> None:  # noqa: B027 - lines have none
        """Seek to a file's first row; OSError if the file is not one of this run."""

    def count_rows(self, stream: IO[bytes]) -> int:
        """Count the rows of a file; OSError without a number if it is damaged."""
        number, line = 0, b"\n"
        for number, line in enumerate(stream, 1):  # noqa: B007 - the last ones are needed
            pass
        if not line.endswith(b"\n"):
            raise OSError("its last line has no end")
        return number


class EnrichedFiles(RowFormat):
    """Avro by event date, compressed with deflate, which every reader supports.

    The run determines the sync marker, so that its files can be joined block by block. With a clock
    `now_us`, a date far from now gets no folder, so that a producer with a wrong clock cannot
    create one for every day.
    """

    kind = "enriched"
    extension = "avro"

    def __init__(
        self,
        text_mode: TextMode,
        run: str = "",
        now_us: Callable[[], int] | None = None,
        *,
        with_keys: bool = False,
    ) -> None:
        self.text_mode = text_mode
        self._now_us = now_us
        self._with_keys = with_keys
        self._mark = hashlib.blake2b(run.encode(), digest_size=16).digest()

    def folder(self, row: EnrichedAnswer) -> str:
        """Return the folder of the event's UTC date, named in Hive's style."""
        time_us = row.event_time_us
        date = _NO_DATE
        if time_us is not None:
            age_us = self._now_us() - time_us if self._now_us else 0
            date = to_date(time_us) if -_LATEST_US <= age_us <= _OLDEST_US else date
        return f"{self.kind}/event_date={date}"

    def key(self, row: EnrichedAnswer) -> bytes:
        """Return the key of the record."""
        return record_key(row.record_id) if self._with_keys else b""

    def encode(self, row: EnrichedAnswer) -> bytes:
        """Return the record in Avro, with as much text as is kept."""
        return _encoder()(redact(row, self.text_mode))

    def open(self, stream: IO[bytes]) -> AvroBlocks:
        """Start an Avro file."""
        stream.write(_header(self._mark))
        return AvroBlocks(stream, self._mark)

    def skip_header(self, stream: IO[bytes]) -> None:
        """Seek past the first sync marker, which ends the header."""
        end = stream.read(_HEADER_BYTES).find(self._mark)
        if end < 0:
            raise OSError("it is not an Avro file of this run")
        stream.seek(end + len(self._mark))

    def copy_rows(
        self, source: IO[bytes], target: IO[bytes], is_kept: Iterable[bool]
    ) -> list[dict[str, Any]]:
        """Copy the rows of a file of this run that are kept, and return the others."""
        writer = _row_writer(target, self._mark)
        left_out: list[dict[str, Any]] = []
        try:
            for row, keeps in zip(fastavro.reader(source), is_kept, strict=True):
                (writer.write if keeps else left_out.append)(row)
        except (ValueError, EOFError) as error:
            raise OSError(f"damaged Avro: {type(error).__name__}") from None
        writer.flush()
        return left_out

    def count_rows(self, stream: IO[bytes]) -> int:
        """Count by the blocks' own counts."""
        try:
            return sum(block.num_records for block in fastavro.block_reader(stream))
        except Exception as error:  # noqa: BLE001 - fastavro raises what its decoders do
            raise OSError(f"damaged Avro: {type(error).__name__}") from None


def _row_writer(stream: IO[bytes], sync_marker: bytes) -> Writer:
    """Start an Avro file whose rows are dictionaries."""
    schema = parse_schema(load_schema("enriched_answer"))
    return Writer(stream, schema, codec="deflate", sync_marker=sync_marker)


@lru_cache(maxsize=1)  # a process writes the files of one run
def _header(sync_marker: bytes) -> bytes:
    header = BytesIO()
    _row_writer(header, sync_marker).flush()
    return header.getvalue()


@cache
def _encoder() -> Callable[[EnrichedAnswer], bytes]:
    return compile_encoder(load_schema("enriched_answer"))


def encode_enriched(record: EnrichedAnswer, text: TextMode) -> TopicMessage:
    """Encode a record as a message of a topic that has its Avro schema."""
    attributes = {"record_id": record.record_id, "verdict": record.verdict, "engine": record.engine}
    return build_message(_encode_within_limit(record, text), attributes)


def _encode_within_limit(record: EnrichedAnswer, text: TextMode) -> bytes:
    """Encode a record in Avro, in at most the 10 MB of a message.

    A larger one lacks the texts of its facts, or all its lists if that is not enough. Its data is
    never truncated: Pub/Sub would refuse what does not fit the schema of the topic.
    """
    encode = EnrichedFiles(text).encode
    data = encode(record)
    if len(data) > MAX_DATA_BYTES:
        data = encode(without_fact_texts(record))
    if len(data) > MAX_DATA_BYTES:
        data = encode(without_evidence(record, _MAX_TEXT_BYTES))
    return data


class AlertFiles(RowFormat):
    """Lines of JSON with the fields of `alert.avsc`."""

    kind = "alerts"

    def encode(self, row: Alert) -> bytes:
        """Return the line."""
        return alert_to_json(row) + b"\n"


class FailureFiles(RowFormat):
    """Lines of JSON with the fields of `failure.avsc`, which a replay needs with the payload."""

    kind = "failures"
    event_time_us = attrgetter("message.publish_time_us")
    """A message without an answer has no event time."""

    def __init__(self, *, with_payload: bool) -> None:
        self.with_payload = with_payload

    def encode(self, row: Failure) -> bytes:
        """Return the line."""
        return failure_to_json(row, with_payload=self.with_payload) + b"\n"


class RowFormats(NamedTuple):
    """The formats of a run's rows, by kind."""

    enriched: EnrichedFiles
    alerts: AlertFiles
    failures: FailureFiles


def row_formats(
    config: Config, *, only_recent_dates: bool = False, with_keys: bool = False
) -> RowFormats:
    """Choose the formats of a run's rows; the other arguments are explained at `EnrichedFiles`."""
    now_us = clock.now_us if only_recent_dates else None
    return RowFormats(
        EnrichedFiles(config.text, config.run, now_us, with_keys=with_keys),
        AlertFiles(),
        FailureFiles(with_payload=config.failure_payload),
    )
