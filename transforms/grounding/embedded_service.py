"""Answer requests for `groundingConfigs.check` as Google's service does, without a network."""

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from math import inf
from typing import NamedTuple

import httpx
import msgspec

from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.schemas.wire.json_input import camel_case_name
from groundwatch.transforms.lexical.check_claims import REVISION, check_grounding
from groundwatch.transforms.lexical.scores.claim_result import ScorerFailed
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.text_splitting import count_tokens
from groundwatch.transforms.runtime.waiting import waiting_for
from .protocol import HttpReply
from .scorers.shared_scorer import load_scorer

_CHECK_PATH = re.compile(
    r"/(?:v1|v1beta|v1alpha)/projects/[^/]+/locations/[^/]+/groundingConfigs/[^/:]+:check"
)
_STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
"""The google.rpc name of each status; 405, 408 and 413 have none of their own."""

_MOST_BYTES_IN_LOOP = 8_000
"""Of a request. Whatever its text, a shorter one takes a quarter of a second at most."""

# Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
_LIMITS = CheckLimits()

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, object]).decode


class InvalidArgumentError(ValueError):
    """The service would reject this request; the message says why, without any of its text."""


class EmbeddedChecker(NamedTuple):
    """A function that checks answers or raises ScorerFailed, and its revision."""

    check: Callable[[CheckRequest], CheckResponse]
    revision: str


BY_WORDS = EmbeddedChecker(check_grounding, REVISION)


def load_checker(model: str | None, weight: float) -> EmbeddedChecker:
    """Load a checker that adds the log odds of a model to those of the words.

    Args:
      model: `small`, a folder, or OWNER/NAME[@REVISION] of the Hugging Face Hub; None for the words
        alone.
      weight: of the model's log odds, from 0: 0 is the words alone, infinite the model alone.

    Raises:
      Misconfigured: there is no such model, or no output has the name that is needed.
    """
    if model is None or not weight:
        return BY_WORDS
    with waiting_for(f"the model {model}"):
        scorer = load_scorer(model)
    rule = scorer.calibration.rule(weight)
    check = partial(check_grounding, scorer=scorer.score, rule=rule)
    return EmbeddedChecker(check, _revision(scorer.revision, weight))


def _revision(model: str, weight: float) -> str:
    """Name the rules and the model that give a score, and the model's weight unless it is 1."""
    if weight == inf:
        return model
    return f"{REVISION}+{'' if weight == 1 else f'{weight:g}*'}{model}"


class LocalTransport(httpx.AsyncBaseTransport):
    """Answer requests inside the process, in the service's own JSON, without a socket.

    A check by words runs in the caller's event loop: it takes a millisecond or less for a usual
    answer. Another check, which takes far longer, runs in a thread, and so does a long request if
    `threads` are given.

    Args:
      checker: checks an answer; by default it scores claims by words.
      threads: run requests of more than 8,000 bytes, so that the event loop can serve others.
    """

    def __init__(
        self, checker: EmbeddedChecker = BY_WORDS, threads: Executor | None = None
    ) -> None:
        self._checker = checker
        self._threads = threads

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, without authorization."""
        reply = await self.answer(request.method, request.url.path, request.content)
        content = httpx.ByteStream(reply.body)
        return httpx.Response(reply.status, headers=reply.headers, stream=content)

    async def aclose(self) -> None:
        if self._threads:
            self._threads.shutdown(wait=False)

    async def answer(self, method: str, path: str, body: bytes) -> HttpReply:
        checker = self._checker
        is_long = self._threads is not None and len(body) > _MOST_BYTES_IN_LOOP
        if checker is not BY_WORDS or is_long:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, answer, method, path, body, checker)
        return answer(method, path, body)


def answer(method: str, path: str, body: bytes, checker: EmbeddedChecker = BY_WORDS) -> HttpReply:
    """Answer one HTTP request as Google's service does, errors included.

    The query of the path is ignored. An error contains no text of the request.
    """
    if not _CHECK_PATH.fullmatch(path.partition("?")[0]):
        return refuse(404, "Not found: only projects.locations.groundingConfigs.check is served.")
    if method != "POST":
        return refuse(405, "Only POST is allowed here.")
    try:
        request = decode_request(body)
    except InvalidArgumentError as error:
        return refuse(400, str(error))
    try:
        return HttpReply(200, _encode(checker.check(request)), revision=checker.revision)
    except ScorerFailed as error:
        return refuse(error.status, str(error))._replace(retry_after=error.retry_after)


def refuse(status: int, message: str) -> HttpReply:
    """Return an error as Google's services write it.

    Source: https://cloud.google.com/apis/design/errors
    """
    error = {"code": status, "message": message, "status": _STATUS_NAMES.get(status, "UNKNOWN")}
    return HttpReply(status, _encode({"error": error}))


def decode_request(body: bytes) -> CheckRequest:
    """Decode a request's JSON: camelCase or snake_case, numbers as numbers or strings.

    Unknown fields are ignored, and null is an absent field.

    Raises:
      InvalidArgumentError: it is not such an object, or exceeds a limit of the service.
    """
    try:
        request = msgspec.convert(_normalize(_decode(body)), CheckRequest, strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidArgumentError(f"Invalid JSON payload received. {error}") from None
    if problem := next(_problems(request), None):
        raise InvalidArgumentError(problem)
    return request


def _normalize(fields: dict[str, object]) -> dict[str, object]:
    """Return the request with camelCase fields; the user's own maps stay as they are.

    The service knows no field `query`, so one that is no text is unknown here, too.
    """
    request = _camel_case(fields)
    if not isinstance(request.get("query"), str):
        request.pop("query", None)
    if isinstance(facts := request.get("facts"), list):
        request["facts"] = [_camel_case(fact) if isinstance(fact, dict) else fact for fact in facts]
    if isinstance(spec := request.get("groundingSpec"), dict):
        request["groundingSpec"] = _camel_case(spec)
    return request


def _camel_case(fields: dict[str, object]) -> dict[str, object]:
    return {camel_case_name(name): value for name, value in fields.items() if value is not None}


def _problems(request: CheckRequest) -> Iterator[str]:
    text, facts = request.answer_candidate, request.facts
    if not text:
        yield "answerCandidate: is required."
    # No token is shorter than a character.
    tokens = count_tokens(text) if len(text) > _LIMITS.max_answer_tokens else 0
    if tokens > _LIMITS.max_answer_tokens:
        yield f"answerCandidate: {tokens} tokens, at most {_LIMITS.max_answer_tokens} are allowed."
    if len(facts) > _LIMITS.max_facts:
        yield f"facts: {len(facts)} given, at most {_LIMITS.max_facts} are allowed."
    for number, fact in enumerate(facts):
        if len(fact.fact_text) > _LIMITS.max_fact_chars:
            yield (
                f"facts[{number}].factText: {len(fact.fact_text)} characters, "
                f"at most {_LIMITS.max_fact_chars} are allowed."
            )
    threshold = request.grounding_spec.citation_threshold
    if threshold is not None and not 0 <= threshold <= 1:
        yield f"groundingSpec.citationThreshold: {threshold} is not between 0 and 1."
