"""Decode and validate a check's request as the service does."""

import re
from collections.abc import Iterator

import msgspec

from schemas.wire.grounding_check import CheckRequest
from transforms.rules.limits import CheckLimits, count_tokens

_LIMITS = CheckLimits()

# Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
_LABEL = re.compile(rf"[\w-]{{0,{_LIMITS.max_user_label_chars}}}")

_decode = msgspec.json.Decoder(dict[str, object]).decode

_WORD_START = re.compile(r"_([a-z])")


class InvalidArgumentError(ValueError):
    """The service would reject this request; the message says why, without any of its text."""


def decode_request(body: bytes) -> CheckRequest:
    """Decode a request's JSON: camelCase or snake_case, numbers as numbers or strings.

    Args:
      body: the JSON object; unknown fields are ignored, null is an absent field.

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
    """Return the request with camelCase fields; the user's own maps stay as they are."""
    request = _camel_case(fields)
    if isinstance(facts := request.get("facts"), list):
        request["facts"] = [_camel_case(fact) if isinstance(fact, dict) else fact for fact in facts]
    if isinstance(spec := request.get("groundingSpec"), dict):
        request["groundingSpec"] = _camel_case(spec)
    return request


def _camel_case(fields: dict[str, object]) -> dict[str, object]:
    return {
        _WORD_START.sub(lambda match: match[1].upper(), name): value
        for name, value in fields.items()
        if value is not None
    }


def _problems(request: CheckRequest) -> Iterator[str]:
    answer, limits = request.answer_candidate, _LIMITS
    if not answer:
        yield "answerCandidate: is required."
    # No token is shorter than a character.
    tokens = count_tokens(answer) if len(answer) > limits.max_answer_tokens else 0
    if tokens > limits.max_answer_tokens:
        yield f"answerCandidate: {tokens} tokens, at most {limits.max_answer_tokens} are allowed."
    if len(request.facts) > limits.max_facts:
        yield f"facts: {len(request.facts)} given, at most {limits.max_facts} are allowed."
    for number, fact in enumerate(request.facts):
        if len(fact.fact_text) > limits.max_fact_chars:
            yield (
                f"facts[{number}].factText: {len(fact.fact_text)} characters, "
                f"at most {limits.max_fact_chars} are allowed."
            )
    threshold = request.grounding_spec.citation_threshold
    if threshold is not None and not 0 <= threshold <= 1:
        yield f"groundingSpec.citationThreshold: {threshold} is not between 0 and 1."
    yield from _label_problems(request.user_labels)


def _label_problems(labels: dict[str, str]) -> Iterator[str]:
    if len(labels) > _LIMITS.max_user_labels:
        yield f"userLabels: {len(labels)} given, at most {_LIMITS.max_user_labels} are allowed."
    for number, (key, value) in enumerate(labels.items()):
        if not key or not _is_label(key) or not _is_label(value):
            yield (
                f"userLabels: label {number} is not made of 1 to {_LIMITS.max_user_label_chars} "
                "lower-case letters, digits, underscores and hyphens."
            )


def _is_label(text: str) -> bool:
    return text == text.lower() and _LABEL.fullmatch(text) is not None
