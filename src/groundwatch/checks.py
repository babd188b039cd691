"""Check answers without a pipeline."""

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import copy_context
from copy import copy
from difflib import get_close_matches
from functools import cache, partial
from itertools import count
from os import PathLike
from typing import Any, TypedDict, Unpack

from msgspec.structs import asdict, replace

from .schemas.enriched_answer import EnrichedAnswer
from .transforms.check_one import enrich_all, read_answer
from .transforms.grounding.errors import RunStopped
from .transforms.grounding.python_checker import Checker
from .transforms.grounding.settings import LOCAL, CheckSettings, model_of, settings_for, with_screen
from .transforms.rules.noting import write_note
from .transforms.rules.thresholds import EscalationRule, Thresholds
from .transforms.runtime.daemon_threads import DaemonThreads
from .transforms.runtime.errors import type_name
from .transforms.step_order import Routed

Facts = Iterable[object]
"""Texts, mappings with `text`, or objects with `page_content`."""
AnyChecker = str | Checker | CheckSettings
AnyThresholds = Thresholds | Mapping[str, object] | str | PathLike[str]

_DEFAULT = Thresholds()
_ASYNC_CHECKS = 64
_FIRST_S = 4.0
"""While a checker has not replied at all, no attempt starts later: somebody waits for it."""
_FLAG = re.compile(r"(?<!\S)--(\w+)")


class CheckResult(EnrichedAnswer, frozen=True, kw_only=True):
    """The record of a checked answer, as pipelines write it."""

    def note(self) -> str:
        """Return the flagged statements and what the sources say, for the next prompt of a model.

        The text is empty if nothing is flagged.
        """
        return write_note(self)


class CheckOptions(TypedDict, total=False):
    """What `check` takes by name; each of these may be left out."""

    question: str | None
    query: str | None
    engine: str | None
    checker: AnyChecker
    scorer: str
    escalate: AnyChecker | None
    rule: EscalationRule
    thresholds: AnyThresholds
    timeout_s: float | None


def check(answer: str, facts: Facts, **options: Unpack[CheckOptions]) -> CheckResult:
    """Check whether facts support an answer, and return its record with verdict and claims.

    Each call opens its own connections to a remote checker: use `check_many` for many answers.
    Equal answers have equal record ids.

    Args:
      answer: the text of the answer.
      facts: texts, mappings with `text` and optionally `uri`, `title` and `attributes`, or objects
        with `page_content` and `metadata`, as LangChain's documents. Without any, the verdict is
        UNSCORABLE.
      question: the user's; `query`, as the field of the record, is the same.
      engine: the name of the bot, which may have thresholds of its own.
      checker: as the flag `--checker`: `local`, the address of a server, or `module:name`; a Python
        object with a method `check`, as `Checker` describes it; or settings.
      scorer: the model of the embedded checker, as the flag `--scorer`: `small`, which comes with
        groundwatch and is the default, `none`, a folder, or a model of the Hugging Face Hub.
      escalate: a second checker, named alike, which decides what the first one is uncertain of, and
        a share of the rest.
      rule: which answers these are; its thresholds are replaced by `thresholds`.
      thresholds: scores below which the answer is low-grounded: a mapping with
        `low_grounded` and `claim`, the path of a file that `calibrate` wrote,
        or `Thresholds`.
      timeout_s: seconds for one reply of a checker; 10, or as the settings of the checker say. One
        that has never replied is given up 4 seconds later.

    Raises:
      TypeError: an argument is none of these, or a fact has no text.
      ValueError: a checker is named in none of these ways; a threshold or its file is wrong.
      UnreadableAnswer: a text is not Unicode, or the title of a fact is none.
      CheckFailed: the checker cannot be reached, refuses, or raised an exception.
    """
    [record] = map(_result, _check_all([(answer, facts)], options))
    return record


def check_many(
    answers: Iterable[tuple[str, Facts] | tuple[str, Facts, str | None]],
    **options: Unpack[CheckOptions],
) -> Iterator[CheckResult]:
    """Check many answers over the same connections; yield their records in the same order.

    `next` goes on behind an answer that cannot be checked, unless the checker cannot be used.

    Args:
      answers: tuples of an answer and its facts, or of an answer, its facts and its question.
      options: as in `check`; `question` is that of the answers without one of their own. A checker
        that has replied once within this call is called again for two minutes.

    Raises:
      Exception: as `check`, at the answer, which its message numbers from 1 and `index` from 0.
    """
    return map(_result, _check_all(answers, options), count())


def _check_all(
    answers: Iterable[tuple[Any, ...]], options: CheckOptions
) -> Iterator[EnrichedAnswer | Exception]:
    _refuse_unknown(options)
    decided_by = _read_thresholds(options.get("thresholds", _DEFAULT))
    timeout_s, escalate = options.get("timeout_s"), options.get("escalate")
    settings = with_screen(
        _called(_with_scorer(options.get("checker", LOCAL), options.get("scorer")), timeout_s),
        None if escalate is None else _called(escalate, timeout_s),
        replace(options.get("rule", EscalationRule()), thresholds=decided_by),
    )
    question = options.get("question", options.get("query"))
    routed = _read(answers, question, options.get("engine"))
    return enrich_all(routed, settings, decided_by)


async def acheck(answer: str, facts: Facts, **options: Unpack[CheckOptions]) -> CheckResult:
    """Check an answer as `check` does, in a thread, so that the event loop goes on.

    The threads are groundwatch's own, 64 for each process: those of the loop stay free while a
    checker hangs.
    """
    checked = partial(copy_context().run, check, answer, facts, **options)
    return await asyncio.get_running_loop().run_in_executor(_threads(os.getpid()), checked)


@cache
def _threads(process: int) -> DaemonThreads:  # noqa: ARG001 - threads do not survive a fork
    return DaemonThreads(_ASYNC_CHECKS)


def _refuse_unknown(options: Mapping[str, object]) -> None:
    known = CheckOptions.__annotations__
    for name in options.keys() - known.keys():
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise TypeError(f"unknown argument {name}: {hint}")
    if "question" in options and "query" in options:
        raise TypeError("question and query are the same: pass one of them")


def _read(
    answers: Iterable[tuple[Any, ...]], question: str | None, engine: str | None
) -> Iterator[Routed | TypeError]:
    """Read answers; what is no text is an error in its place, behind the records before it."""
    for given in answers:
        try:
            match given:
                case (answer, facts, *own) if not own[1:]:
                    yield read_answer(answer, facts, own[0] if own else question, engine)
                case _:
                    wanted = "(answer, facts), or (answer, facts, question)"
                    yield TypeError(f"it is {type_name(given)}: pass {wanted}")
        except TypeError as error:
            yield error


def _read_thresholds(given: AnyThresholds) -> Thresholds:
    if given is _DEFAULT:
        return _DEFAULT
    # The settings of runs, which most calls do not need, take as long to import as ten checks.
    from .pipeline.settings.job import read_thresholds  # noqa: PLC0415
    from .pipeline.settings.load import UsageError  # noqa: PLC0415

    try:
        return read_thresholds(given, "thresholds")
    except UsageError as error:
        raise ValueError(str(error)) from None


def _with_scorer(checker: AnyChecker, scorer: str | None) -> AnyChecker:
    if scorer is None:
        return checker
    if checker != LOCAL:
        raise ValueError(
            f"scorer={scorer!r} is of the embedded checker: pass checker='local' or none"
        )
    return replace(settings_for(LOCAL), scorer=model_of(scorer))


def _called(checker: AnyChecker, timeout_s: float | None) -> CheckSettings:
    """Return the settings of a checker that somebody waits for."""
    settings = settings_for(checker)
    retries = settings.retries
    if timeout_s is not None:
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float):
            raise TypeError(f"timeout_s is {type_name(timeout_s)}: pass seconds")
        if not timeout_s > 0:
            raise ValueError(f"timeout_s={timeout_s}: must be a number of seconds above 0")
        retries = replace(retries, timeout_s=timeout_s)
    if retries.first_s is None:
        retries = replace(retries, first_s=_FIRST_S)
    return replace(settings, retries=retries)


def _result(outcome: EnrichedAnswer | Exception, index: int | None = None) -> CheckResult:
    """Return a record, or raise its failure, which names arguments and not flags of these names."""
    if isinstance(outcome, EnrichedAnswer):
        return CheckResult(**asdict(outcome))
    # Several answers may have the same failure, and that of the checker itself is of none.
    error: Any = copy(outcome)
    error.index = None if isinstance(outcome, RunStopped) else index
    number = "" if error.index is None else f"answer {error.index + 1}: "
    error.args = (number + _FLAG.sub(r"\1=…", str(outcome)),)
    raise error.with_traceback(outcome.__traceback__) from outcome.__cause__
