"""Check answers without a pipeline."""

from collections.abc import Iterable, Iterator, Mapping
from queue import SimpleQueue

import msgspec

from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer
from schemas.enriched_answer import EnrichedAnswer
from schemas.message import Message, ParseOptions
from transforms.formats import ParseFailure, parse_answers
from transforms.grounding.check_session import Outcome, open_session
from transforms.grounding.settings import CheckSettings
from transforms.rules.routing import route
from transforms.rules.tagging import Thresholds, tag_answer


def check(
    answer: str,
    facts: Iterable[str | Mapping[str, object]],
    *,
    query: str | None = None,
    settings: CheckSettings = CheckSettings(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check whether facts support an answer, and return its record with verdict and claims.

    Each call opens its own connections to a remote checker: use the steps for many answers. Equal
    answers have equal record ids.

    Args:
      answer: the text of the answer.
      facts: texts, or mappings with `text` and optionally `uri`, `title` and `attributes`.
      query: the question.
      settings: of the checker; by default the embedded one.
      thresholds: scores below which the answer is low-grounded.

    Raises:
      UnreadableAnswer: a fact is neither a text nor such a mapping.
      CheckFailed: the checker cannot be reached, or refuses.
    """
    return check_read_answer(_read(answer, list(facts), query), settings, thresholds)


def check_read_answer(
    answer: Answer,
    settings: CheckSettings = CheckSettings(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check an answer that was read from a message; raise CheckFailed as `check` does."""
    if decision := route(answer):
        return tag_answer(CheckedAnswer(answer=answer, decision=decision), thresholds)
    [outcome] = check_answers([answer], settings)
    if isinstance(outcome, Exception):
        raise outcome
    return tag_answer(outcome, thresholds)


def check_answers(
    answers: Iterable[Answer], settings: CheckSettings
) -> Iterator[CheckedAnswer | Exception]:
    """Check answers concurrently; yield the outcomes in any order."""
    session = open_session(settings)
    ended: SimpleQueue[Outcome] = SimpleQueue()
    in_flight = 0
    try:
        for answer in answers:
            decision = route(answer)
            if decision is not None:
                yield CheckedAnswer(answer=answer, decision=decision)
                continue
            session.submit(answer, ended.put)
            in_flight += 1
            if in_flight > settings.max_in_flight:
                yield ended.get()
                in_flight -= 1
        for _ in range(in_flight):
            yield ended.get()
    finally:
        session.close()


def _read(answer: str, facts: list[object], query: str | None) -> Answer:
    envelope = {"answer": answer, "facts": facts, "query": query}
    payload = msgspec.json.encode(envelope)
    options = ParseOptions(input_format="groundwatch.envelope")
    [read] = parse_answers(Message(payload=payload, place=payload.decode()), options)
    if isinstance(read, ParseFailure):
        raise read.error
    return read
