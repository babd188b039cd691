"""Check answers without a pipeline."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from queue import SimpleQueue

import msgspec

from schemas.checked_answer import CheckedAnswer
from schemas.enriched_answer import EnrichedAnswer
from schemas.message import Message, ParseOptions
from transforms.formats.parser import ParseFailure
from transforms.grounding.check_session import CheckSession, Outcome, open_session
from transforms.grounding.settings import CheckSettings
from transforms.rules.tagging import Thresholds
from transforms.step_order import Routed, enrich_answers, route_answers


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
    envelope = {"answer": answer, "facts": list(facts), "query": query}
    payload = msgspec.json.encode(envelope)
    message = Message(payload=payload, place=payload.decode())
    [routed] = route_answers(message, ParseOptions(input_format="groundwatch.envelope"))
    return enrich_one(routed, settings, thresholds)


def enrich_one(
    routed: Routed,
    settings: CheckSettings = CheckSettings(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check and tag one answer; raise UnreadableAnswer or CheckFailed as `check` does."""
    [outcome] = enrich_answers([routed], partial(check_answers, settings=settings), thresholds)
    if isinstance(outcome, EnrichedAnswer):
        return outcome
    raise outcome.error if isinstance(outcome, ParseFailure) else outcome


def check_answers(
    routed: Iterable[Routed], settings: CheckSettings
) -> Iterator[Routed | Exception]:
    """Check the answers without a decision, many at a time; yield the outcomes in any order."""
    ended: SimpleQueue[Outcome] = SimpleQueue()
    in_flight = 0
    with ExitStack() as opened:
        session: CheckSession | None = None
        for each in routed:
            if not isinstance(each, CheckedAnswer) or each.decision:
                yield each
                continue
            if session is None:
                session = opened.enter_context(closing(open_session(settings)))
            session.submit(each.answer, ended.put)
            in_flight += 1
            if in_flight > settings.max_in_flight:
                yield ended.get()
                in_flight -= 1
        for _ in range(in_flight):
            yield ended.get()
