"""Encode each kind of row, in files and as messages of a topic."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, lru_cache, partial
from io import BytesIO
from operator import attrgetter
from typing import IO, Any, NamedTuple

import msgspec
from fastavro import parse_schema
from msgspec.structs import replace

from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.alert import Alert, alert_to_json
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import Failure, failure_to_json, first_sentence, without_payload
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.schemas.quantities import DAY_US, to_date
from groundwatch.transforms.rules import redaction
from groundwatch.transforms.runtime import clock
from .avro_encoder import AvroBlocks, compile_encoder
from .avro_rows import open_writer, rewrite_blocks, rewrite_row
from .topic_messages import MAX_DATA_BYTES, TopicMessage, build_message

_NO_DATE = "__HIVE_DEFAULT_PARTITION__"
# How far before and after now an event date may be to get a folder of its own.
_OLDEST_US, _LATEST_US = 3_653 * DAY_US, 2 * DAY_US
_MAX_TEXT_BYTES = 100_000  # of each of the dozen texts that are left of a record over 10 MB


class RowFormat(ABC):
    """Encode one kind of row, by default as lines. Instances are pickled.

    The `policy` is one of `policies`, which say how much text the rows hold, the most first.
    """

    kind: str
    extension = "jsonl"
    policies: tuple[str, ...]
    policy: str
    event_time_us: "attrgetter[int | None]" = attrgetter("event_time_us")

    def folder(self, _: Any) -> str:
        """Return the folder of a row, relative to the output folder."""
        return self.kind

    @abstractmethod
    def encode(self, row: Any) -> Any:
        """Return what a writer takes."""

    @property
    def header(self) -> bytes:
        return b""

    def open_rows(self, stream: IO[bytes]) -> Any:
        """Return the writer of the rows behind a header, with the methods `write` and `flush`."""
        return stream

    def restrict(self, content: bytes, policy: str) -> bytes:
        """Remove what `policy` allowed in encoded rows, and this format's own does not."""
        is_allowed = self.policies.index(policy) >= self.policies.index(self.policy)
        return content if is_allowed else self.restrict_rows(content)

    @abstractmethod
    def restrict_rows(self, content: bytes) -> bytes:
        """Encode rows again, with as much text as the policy allows."""


class EnrichedFiles(RowFormat):
    """Avro by event date, compressed with deflate, which every reader supports.

    The run determines the sync marker, so that its files can be joined block by block. With a clock
    `now_us`, a date far from now gets no folder, so that a producer with a wrong clock cannot
    create one for every day.
    """

    kind = "enriched"
    extension = "avro"
    policies = redaction.TextMode.FULL, redaction.TextMode.HASH, redaction.TextMode.NONE

    def __init__(
        self, text_mode: redaction.TextMode, run: str = "", now_us: Callable[[], int] | None = None
    ) -> None:
        self.policy: redaction.TextMode = text_mode
        self._now_us = now_us
        self._mark = hashlib.blake2b(run.encode(), digest_size=16).digest()

    def folder(self, row: EnrichedAnswer) -> str:
        """Return the folder of the event's UTC date, named in Hive's style."""
        time_us = row.event_time_us
        date = _NO_DATE
        if time_us is not None:
            age_us = self._now_us() - time_us if self._now_us else 0
            date = to_date(time_us) if -_LATEST_US <= age_us <= _OLDEST_US else date
        return f"{self.kind}/event_date={date}"

    def encode(self, row: EnrichedAnswer) -> bytes:
        """Return the record in Avro, with as much text as is kept."""
        return _encoder()(redaction.redact(row, self.policy))

    @property
    def header(self) -> bytes:
        """The schema and the sync marker of an Avro file."""
        return _header(self._mark)

    def open_rows(self, stream: IO[bytes]) -> AvroBlocks:
        return AvroBlocks(stream, self._mark)

    def restrict_rows(self, content: bytes) -> bytes:
        schema = parse_schema(load_schema("enriched_answer"))
        return rewrite_blocks(
            content, schema, schema, partial(redaction.redact_row, mode=self.policy)
        )

    def restrict_message(self, message: TopicMessage) -> TopicMessage:
        """Hide texts in a record that was encoded as a message."""
        schema = parse_schema(load_schema("enriched_answer"))
        change = partial(redaction.redact_row, mode=self.policy)
        return replace(message, data=rewrite_row(message.data, schema, schema, change))


@lru_cache(maxsize=1)  # a process writes the files of one run
def _header(sync_marker: bytes) -> bytes:
    header = BytesIO()
    open_writer(header, parse_schema(load_schema("enriched_answer")), sync_marker)
    return header.getvalue()


@cache
def _encoder() -> Callable[[EnrichedAnswer], bytes]:
    return compile_encoder(load_schema("enriched_answer"))


def encode_enriched(record: EnrichedAnswer, text: redaction.TextMode) -> TopicMessage:
    """Encode a record as a message of a topic that has its Avro schema."""
    attributes = {"record_id": record.record_id, "verdict": record.verdict, "engine": record.engine}
    return build_message(_encode_within_limit(record, text), attributes)


def _encode_within_limit(record: EnrichedAnswer, text: redaction.TextMode) -> bytes:
    """Encode a record in Avro, in at most the 10 MB of a message.

    A larger one lacks the texts of its facts, or all its lists if that is not enough. Its data is
    never truncated: Pub/Sub would refuse what does not fit the schema of the topic.
    """
    encode = EnrichedFiles(text).encode
    data = encode(record)
    if len(data) > MAX_DATA_BYTES:
        data = encode(redaction.without_fact_texts(record))
    if len(data) > MAX_DATA_BYTES:
        data = encode(redaction.without_evidence(record, _MAX_TEXT_BYTES))
    return data


class AlertFiles(RowFormat):
    """Lines of JSON with the fields of `alert.avsc`."""

    kind = "alerts"
    policies = "text", "none"

    def __init__(self, *, with_text: bool) -> None:
        self.policy = "text" if with_text else "none"

    def encode(self, row: Alert) -> bytes:
        return alert_to_json(row) + b"\n"

    def restrict_rows(self, content: bytes) -> bytes:
        """Remove the texts of the answers and their claims."""
        return _map_lines(content, _without_texts)


class FailureFiles(RowFormat):
    """Lines of JSON with the fields of `failure.avsc`, which a replay needs with the payload."""

    kind = "failures"
    event_time_us = attrgetter("message.arrived_us")
    """A message without an answer has no event time."""
    policies = "payload", "none"

    def __init__(self, *, with_payload: bool) -> None:
        self.with_payload = with_payload
        self.policy = "payload" if with_payload else "none"

    def encode(self, row: Failure) -> bytes:
        return failure_to_json(row, with_payload=self.with_payload) + b"\n"

    def restrict_rows(self, content: bytes) -> bytes:
        """Remove the payloads and attributes of the messages, and what the errors quote."""
        return _map_lines(content, _without_payload)


def restrict_row(row: Any, formats: "RowFormats") -> Any:
    """Remove what the formats' policies do not allow from a row that waits for a destination."""
    if isinstance(row, Alert | GroundingResult) and formats.alerts.policy == "none":
        worst = row.worst_claim and replace(row.worst_claim, text=None)
        texts = {"answer_text": None} if isinstance(row, Alert) else {}
        return replace(row, worst_claim=worst, **texts)
    if isinstance(row, Failure) and formats.failures.policy == "none":
        return without_payload(row)
    return formats.enriched.restrict_message(row) if isinstance(row, TopicMessage) else row


def _map_lines(content: bytes, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    rows = msgspec.json.Decoder(dict[str, Any]).decode_lines(content)
    return msgspec.json.Encoder().encode_lines(map(change, rows))


def _without_payload(failure: dict[str, Any]) -> dict[str, Any]:
    error = first_sentence(failure["error"])
    return failure | {"payload_base64": None, "attributes": {}, "error": error}


def _without_texts(alert: dict[str, Any]) -> dict[str, Any]:
    worst = alert["worst_claim"]
    return alert | {"answer_text": None, "worst_claim": worst and worst | {"text": None}}


class RowFormats(NamedTuple):
    """The formats of a run's rows, by kind."""

    enriched: EnrichedFiles
    alerts: AlertFiles
    failures: FailureFiles


def row_formats(config: Config) -> RowFormats:
    """Choose the formats of a run's rows; of an endless one, only recent dates get a folder."""
    now_us = clock.now_us if config.is_endless else None
    return RowFormats(
        EnrichedFiles(config.text, config.run, now_us),
        AlertFiles(with_text=config.alerts.with_text),
        FailureFiles(with_payload=config.failure_payload),
    )
