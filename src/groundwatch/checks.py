"""Check answers without a pipeline."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.check_one import check_answers, enrich_all, read_answer
from groundwatch.transforms.grounding.settings import (
    DISCOVERY_ENGINE,
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
    checker: str | CheckSettings = LOCAL,
    escalate: str | CheckSettings | None = None,
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
      checker: as the flag `--checker`: `local`, or the address of a server; or settings.
      escalate: a second checker, named alike, which decides what the first one is uncertain of, and
        a share of the rest.
      rule: which answers these are; its thresholds are replaced by `thresholds`.
      thresholds: scores below which the answer is low-grounded.

    Raises:
      TypeError: the facts are one text or mapping, not a list; or a text is bytes.
      ValueError: a checker is neither `local` nor an address.
      UnreadableAnswer: a fact is neither a text nor such a mapping, or a text is not Unicode.
      CheckFailed: the checker cannot be reached, or refuses.
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
    checker: str | CheckSettings = LOCAL,
    escalate: str | CheckSettings | None = None,
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
    second = None if escalate is None else _settings(escalate)
    rule = replace(rule, thresholds=thresholds)
    settings = with_screen(_settings(checker), second, rule)
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
    checker: str | CheckSettings = LOCAL,
    escalate: str | CheckSettings | None = None,
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


def _settings(checker: str | CheckSettings) -> CheckSettings:
    """Return the settings of a checker, or raise ValueError."""
    if isinstance(checker, CheckSettings):
        return checker
    if checker == LOCAL:
        return CheckSettings()
    if not isinstance(checker, str):
        raise TypeError(f"checker is a {type(checker).__name__}: pass a text or CheckSettings")
    if checker == DISCOVERY_ENGINE:
        raise ValueError(
            f"checker {checker!r} needs an account and a project: pass CheckSettings(checker=…,"
            " endpoint=…, account=…, grounding_config=…)"
        )
    if not checker.startswith(("http://", "https://")):
        raise ValueError(f"checker {checker!r} is neither 'local' nor an address such as http://…")
    return CheckSettings(checker=checker, endpoint=checker)
