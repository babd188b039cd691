"""Check answers without a pipeline."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import cache, partial
from queue import SimpleQueue

import msgspec

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.message import Message, ParseOptions
from .formats.parser import ParseFailure
from .formats.python_facts import read_facts_given, refuse_bytes
from .grounding.check_session import Done
from .grounding.errors import RunStopped
from .grounding.settings import CheckSettings
from .grounding.two_checkers import open_session
from .rules.thresholds import Thresholds
from .runtime.errors import type_name
from .step_order import Routed, enrich_answers, route_answers


def read_answer(
    answer: str, facts: Iterable[object], question: str | None, engine: str | None = None
) -> Routed:
    """Parse and route an answer with its facts.

    Raises:
      TypeError: the facts are not a list, one of them has no text, or another text is none.
    """
    for name, value in (("answer", answer), ("question", question), ("engine", engine)):
        refuse_bytes(name, value)
        if not isinstance(value, str) and (value is not None or name == "answer"):
            raise TypeError(f"{name} is {type_name(value)}: pass a text")
    envelope = {"answer": answer, "facts": read_facts_given(facts), "query": question}
    if engine:
        envelope["engine"] = engine
    try:
        # Attributes of facts may be objects, which are written as texts.
        payload = msgspec.json.encode(envelope, enc_hook=str)
    except UnicodeEncodeError:
        # Escaped, half of a surrogate pair is refused as in a message.
        payload = json.dumps(envelope, default=str).encode()
    message = Message(payload=payload, place=payload.decode())
    [routed] = route_answers(message, ParseOptions(input_format="groundwatch.envelope"))
    return routed


def enrich_one(
    routed: Routed,
    settings: CheckSettings = CheckSettings(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check and tag one answer; raise UnreadableAnswer or CheckFailed if that fails."""
    [outcome] = enrich_all([routed], settings, thresholds)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def enrich_all(
    routed: Iterable[Routed | Exception], settings: CheckSettings, thresholds: Thresholds
) -> Iterator[EnrichedAnswer | Exception]:
    """Check and tag answers; yield failures in their places, and that of the checker at last."""
    check = partial(check_answers, settings=settings)
    try:
        for outcome in enrich_answers(routed, check, thresholds):
            yield outcome.error if isinstance(outcome, ParseFailure) else outcome
    except RunStopped as error:
        yield error


def check_answers(
    routed: Iterable[Routed | Exception], settings: CheckSettings
) -> Iterator[Routed | Exception]:
    """Check the answers without a decision, many at a time; yield the outcomes in their order."""
    with ExitStack() as opened:
        # Nothing is opened if no answer needs a check.
        session = cache(lambda: opened.enter_context(closing(open_session(settings))))
        yield from check_in_order(
            routed, lambda answer, done: session().submit(answer, done), settings.max_in_flight
        )


def check_in_order(
    routed: Iterable[Routed | Exception],
    submit: Callable[[Answer, Done], None],
    most_in_flight: int,
) -> Iterator[Routed | Exception]:
    """Submit the answers without a decision; yield all outcomes in the order of the answers."""
    pending: deque[SimpleQueue[Routed | Exception]] = deque()
    for each in routed:
        outcome: SimpleQueue[Routed | Exception] = SimpleQueue()
        pending.append(outcome)
        if isinstance(each, CheckedAnswer) and each.decision is None:
            submit(each.answer, outcome.put)
        else:
            outcome.put(each)
        if len(pending) > most_in_flight:
            yield pending.popleft().get()
    while pending:
        yield pending.popleft().get()
