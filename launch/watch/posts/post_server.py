"""Receive answers by HTTP: messages, pushes of Pub/Sub, and exports of OpenTelemetry."""

import asyncio
import base64
import hashlib
import io
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, cast

import msgspec

from groundwatch.launch.http_server import (
    HttpRequest,
    Page,
    RequestRefused,
    ServerLimits,
    ServerThread,
    refuse_in_text,
)
from groundwatch.pipeline.sources.archives import read_archive
from groundwatch.pipeline.sources.avro_files import Buffered
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.message import RECEIVED_US, Message, ParseOptions, UnreadableAnswer
from groundwatch.schemas.wire.json_input import MAX_PAYLOAD_BYTES
from groundwatch.transforms.formats.carriers.otlp_json import SPANS, concerns_model
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from groundwatch.transforms.runtime import clock
from . import otlp_requests as otlp
from .access import PUSH, Access, header
from .posted_messages import PostedMessage, PostedMessages, QueueFull

ANSWERS = "/answers"
METRICS = "/v1/metrics"
"""Exporters of metrics have the same endpoint; nothing of theirs is an answer."""

PATHS = (ANSWERS, PUSH, *otlp.SIGNALS, METRICS)
_LIMITS = ServerLimits(deadline_s=30.0, max_connections=512, max_body_bytes=MAX_PAYLOAD_BYTES)
_MOST_DECODED_BYTES = 2 * MAX_PAYLOAD_BYTES  # a compressed archive may hold a thousand times more
_RETRY_AFTER_S = 5
_ID_DIGITS = 32
# What Pub/Sub writes into headers, if the subscription unwraps and writes metadata.
_PUSHED = {"messageId": "X-Goog-Pubsub-Message-Id", "publishTime": "X-Goog-Pubsub-Publish-Time"}
_ATTRIBUTES = ("engine", "session", "event_time", "format", "id", "trace_id", "span_id")
_log = logging.getLogger(__name__)


class Posted(NamedTuple):
    """The messages of a request, how many of them cannot be read, and why the first one cannot."""

    messages: Sequence[PostedMessage]
    unreadable: int = 0
    reason: str = ""


class PostServer:
    """Make what is posted durable, then answer that it is received; on a thread of its own.

    A request is kept as a whole or not at all. Statuses: 200, 202 or 204 when it is durable; 400 if
    it is damaged; 401, 404, 405, 413, 415; 429 while as much waits as may, and 503 while the worker
    drains, or its database cannot be written, both with Retry-After.

    Args:
      address: host and port.
      messages: keeps what is posted.
      access: says who may post.
      options: how the worker parses messages.
      is_draining: whether the worker ends.
    """

    def __init__(
        self,
        address: tuple[str, int],
        messages: PostedMessages,
        access: Access,
        options: ParseOptions,
        is_draining: Callable[[], bool],
    ) -> None:
        self._messages, self._access, self._options = messages, access, options
        self._is_draining = is_draining
        self.requests: Counter[tuple[str, int]] = Counter()
        self.body_bytes = 0
        self._waiting: list[tuple[Sequence[PostedMessage], asyncio.Future[Exception | None]]] = []
        self._writing = asyncio.Lock()
        self._reader = ThreadPoolExecutor(2, "post-reader")
        self._writer = ThreadPoolExecutor(1, "post-writer")
        self._server = ServerThread("posts", address, self._answer, _LIMITS, self._refuse)
        self.address = self._server.address

    def close(self) -> None:
        """Stop listening; what was answered is durable."""
        self._server.close()
        self._reader.shutdown()
        self._writer.shutdown()

    def _refuse(self, status: int, message: str) -> Page:
        self.requests["", status] += 1
        return refuse_in_text(status, message)

    async def _answer(self, request: HttpRequest) -> Page:
        path = request.path if request.path in PATHS else ""
        try:
            page = await self._receive(request)
        except Exception as error:  # noqa: BLE001 - a defect; its text could quote the answer
            _log.error("a request to %s failed: %s", path, type(error).__name__)
            page = refuse_in_text(500, "the request failed; the log says why")
        self.requests[path, page.status] += 1
        self.body_bytes += len(request.body)
        return page

    async def _receive(self, request: HttpRequest) -> Page:
        signal, content_type = otlp.SIGNALS.get(request.path), _content_type(request)
        loop = asyncio.get_running_loop()
        try:
            posted = await loop.run_in_executor(self._reader, self._read, request)
            await self._keep(posted.messages)
        except RequestRefused as refused:
            page = refuse_in_text(refused.status, str(refused))
            if signal and content_type in {otlp.JSON, otlp.PROTOBUF}:
                page = otlp.refusal(refused.status, str(refused), content_type)
            is_later = refused.status in {429, 503}
            return page._replace(headers={"Retry-After": str(_RETRY_AFTER_S)} if is_later else {})
        if request.path == METRICS:
            body = b"{}" if content_type == otlp.JSON else b""
            return Page(200, content_type or otlp.PROTOBUF, body)
        if signal:
            return otlp.success(signal, content_type, posted.unreadable, posted.reason)
        if request.path == PUSH:
            return Page(204, "text/plain", b"")
        reply = {"accepted": len(posted.messages), "unreadable": posted.unreadable}
        reason = {"reason": posted.reason} if posted.reason else {}
        return Page(202, otlp.JSON, msgspec.json.encode({**reply, **reason}) + b"\n")

    async def _keep(self, messages: Sequence[PostedMessage]) -> None:
        """Make messages durable, in one transaction with those that wait meanwhile."""
        if not messages:
            return
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[Exception | None] = loop.create_future()
        self._waiting.append((messages, kept))
        async with self._writing:
            if written := self._waiting:
                self._waiting = []
                error = await loop.run_in_executor(self._writer, self._write, written)
                for _, future in written:
                    if not future.done():  # its client may have gone
                        future.set_result(error)
        if found := await kept:
            raise found

    def _write(self, waiting: Sequence[tuple[Sequence[PostedMessage], object]]) -> Exception | None:
        """Make the messages of several requests durable; return why they are not."""
        try:
            self._messages.add([each for messages, _ in waiting for each in messages])
        except QueueFull:
            return RequestRefused(429, "as much waits for its check as may: send it again later")
        except OSError as error:
            _log.error("%s; what is posted is refused", error)
            return RequestRefused(503, "the worker cannot write its database: send it again later")
        except Exception as error:  # noqa: BLE001 - a defect, which each of the requests reports
            return error
        return None

    def _read(self, request: HttpRequest) -> Posted:
        if request.path not in PATHS:
            raise RequestRefused(404, f"POST to {', '.join(PATHS)}")
        if request.method != "POST":
            raise RequestRefused(405, "only POST is served")
        self._access.verify(request.path, request.headers)
        if self._is_draining():
            raise RequestRefused(503, "the worker ends: send it again later")
        attributes = {RECEIVED_US: str(clock.now_us())}
        try:
            if signal := otlp.SIGNALS.get(request.path):
                return self._read_export(signal, request, attributes)
            if request.path == METRICS:
                return Posted([])
            if request.path == PUSH:
                return Posted([_read_push(request, attributes)])
            return self._read_answers(request, attributes)
        except (UnreadableAnswer, DamagedArchive) as error:
            raise RequestRefused(400, str(error)) from None

    def _read_answers(self, request: HttpRequest, attributes: dict[str, str]) -> Posted:
        """Read the messages of a body in any format of archives.

        Their places are the same in each request with the same Idempotency-Key.
        """
        key = header(request.headers, "Idempotency-Key")
        request_id = hashlib.sha256(key.encode()).hexdigest() if key else uuid.uuid4().hex
        stream = cast("Buffered", io.BufferedReader(io.BytesIO(request.body)))
        messages, size_bytes = [], 0
        for each in read_archive(stream, f"post-{request_id[:_ID_DIGITS]}"):
            size_bytes += each.whole_bytes or len(each.payload)
            if size_bytes > _MOST_DECODED_BYTES:
                raise RequestRefused(413, f"the messages are over {_MOST_DECODED_BYTES:,} bytes")
            message = PostedMessage(payload=each.payload, place=each.place, attributes=attributes)
            messages.append(message)
        if not messages:
            raise UnreadableAnswer("The request has no message: send one as its body.")
        return self._posted(messages)

    def _read_export(
        self, signal: otlp.OtlpSignal, request: HttpRequest, attributes: dict[str, str]
    ) -> Posted:
        content_type = _content_type(request)
        if content_type not in {otlp.JSON, otlp.PROTOBUF}:
            raise RequestRefused(415, f"the Content-Type must be {otlp.JSON} or {otlp.PROTOBUF}")
        whole = otlp.read_batch(signal, request.body, content_type)
        traces = otlp.by_trace(whole) if signal.fields is SPANS else {"": whole}
        messages = []
        for trace, batch in traces.items():
            payload = msgspec.json.encode(batch)
            is_of_model = concerns_model(batch)
            if not trace and not is_of_model:
                continue
            # An exporter sends the same bytes again, with times in nanoseconds.
            digest = hashlib.sha256(payload).hexdigest()[:_ID_DIGITS]
            message = PostedMessage(
                payload=payload,
                place=f"post-{digest}",
                attributes=attributes,
                trace=trace,
                is_complete=otlp.has_root(batch),
                is_of_model=is_of_model,
            )
            messages.append(message)
        return self._posted(messages)

    def _posted(self, messages: Sequence[PostedMessage]) -> Posted:
        """Read what is complete of some messages, to count the answers that become failures."""
        errors = [
            answer.error
            for each in messages
            if each.is_of_model and (each.is_complete or not each.trace)
            for answer in parse_answers(Message(payload=each.payload, place=""), self._options)
            if isinstance(answer, ParseFailure)
        ]
        return Posted(messages, len(errors), str(errors[0]) if errors else "")


def _read_push(request: HttpRequest, attributes: dict[str, str]) -> PostedMessage:
    """Read the body of a push, wrapped or not; its place is that of the message's id."""
    body = request.body
    try:
        message_id = msgspec.json.decode(body, type=_PushBody).message.messageId
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        body, message_id = _wrap(request), header(request.headers, _PUSHED["messageId"])
    place = f"push-{message_id or uuid.uuid4().hex}"
    return PostedMessage(payload=body, place=place, attributes=attributes)


def _wrap(request: HttpRequest) -> bytes:
    """Wrap the body of a push with the id, the time and the attributes in its headers."""
    headers = request.headers
    message = {name: header(headers, written) for name, written in _PUSHED.items()}
    attributes = {name: header(headers, name) for name in _ATTRIBUTES if name in headers}
    data = base64.b64encode(request.body).decode()
    return msgspec.json.encode({"message": {"data": data, "attributes": attributes, **message}})


class _PushedMessage(msgspec.Struct):
    """The message of a push body, as far as it identifies one."""

    data: str
    messageId: str = ""  # noqa: N815 - as Pub/Sub writes it


class _PushBody(msgspec.Struct):
    """A push body that is wrapped."""

    message: _PushedMessage


def _content_type(request: HttpRequest) -> str:
    return header(request.headers, "Content-Type").partition(";")[0].strip().lower()
