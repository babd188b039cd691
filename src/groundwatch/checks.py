"""Check answers without a pipeline."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.check_one import check_answers, enrich_all, read_answer
from groundwatch.transforms.grounding.python_checker import Checker
from groundwatch.transforms.grounding.settings import (
    LOCAL,
    CheckSettings,
    with_screen,
)
from groundwatch.transforms.rules.thresholds import EscalationRule, Thresholds

Facts = Iterable[str | Mapping[str, object]]


def check(
    answer: str,
    facts: Facts,
    *,
    query: str | None = None,
    checker: str | Checker | CheckSettings = LOCAL,
    escalate: str | Checker | CheckSettings | None = None,
    rule: EscalationRule = EscalationRule(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check whether facts support an answer, and return its record with verdict and claims.

    Each call opens its own connections to a remote checker: use `check_many` for many answers.
    Equal answers have equal record ids.

    Args:
      answer: the text of the answer.
      facts: texts, or mappings with `text` and optionally `uri`, `title` and `attributes`.
      query: the question.
      checker: as the flag `--checker`: `local`, the address of a server, or `module:name`; a Python
        object with a method `check`, as `Checker` describes it; or settings.
      escalate: a second checker, named alike, which decides what the first one is uncertain of, and
        a share of the rest.
      rule: which answers these are; its thresholds are replaced by `thresholds`.
      thresholds: scores below which the answer is low-grounded.

    Raises:
      TypeError: the facts are one text or mapping, not a list; or a text is bytes.
      ValueError: a checker is named in none of these ways.
      UnreadableAnswer: a fact is neither a text nor such a mapping, or a text is not Unicode.
      CheckFailed: the checker cannot be reached, refuses, or raised an exception.
    """
    [record] = check_many(
        [(answer, facts)],
        query=query,
        checker=checker,
        escalate=escalate,
        rule=rule,
        thresholds=thresholds,
    )
    return record


def check_many(
    answers: Iterable[tuple[str, Facts] | tuple[str, Facts, str | None]],
    *,
    query: str | None = None,
    checker: str | Checker | CheckSettings = LOCAL,
    escalate: str | Checker | CheckSettings | None = None,
    rule: EscalationRule = EscalationRule(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> Iterator[EnrichedAnswer]:
    """Check many answers over the same connections; yield their records in the same order.

    Args:
      answers: tuples of an answer and its facts, or of an answer, its facts and its question.
      query: the question of the answers without one of their own.
      checker: as in `check`.
      escalate: as in `check`.
      rule: as in `check`.
      thresholds: as in `check`.

    Raises:
      Exception: as `check`, at the first answer that cannot be checked.
    """
    settings = with_screen(checker, escalate, replace(rule, thresholds=thresholds))
    routed = (
        read_answer(answer, facts, own_query[0] if own_query else query)
        for answer, facts, *own_query in answers
    )
    return enrich_all(routed, partial(check_answers, settings=settings), thresholds)


async def acheck(
    answer: str,
    facts: Facts,
    *,
    query: str | None = None,
    checker: str | Checker | CheckSettings = LOCAL,
    escalate: str | Checker | CheckSettings | None = None,
    rule: EscalationRule = EscalationRule(),  # noqa: B008 - it is frozen
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - it is frozen
) -> EnrichedAnswer:
    """Check an answer as `check` does, in a thread, so that the event loop goes on."""
    return await asyncio.to_thread(
        check,
        answer,
        facts,
        query=query,
        checker=checker,
        escalate=escalate,
        rule=rule,
        thresholds=thresholds,
    )
