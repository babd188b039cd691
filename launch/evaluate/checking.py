"""Checking the answers of an evaluation, by whichever checker."""

from collections.abc import Iterable, Iterator
from queue import SimpleQueue

from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer
from schemas.enriched_answer import EnrichedAnswer
from transforms.grounding.check_session import CheckSession, Outcome
from transforms.grounding.errors import CheckFailed, RunStopped
from transforms.grounding.settings import CheckSettings
from transforms.rules.routing import route
from transforms.rules.tagging import Thresholds, tag_answer


def check_answers(
    answers: Iterable[Answer], settings: CheckSettings, thresholds: Thresholds
) -> Iterator[EnrichedAnswer | CheckFailed]:
    """Check answers as the main job does, many at a time.

    Args:
      answers: read as the places of earlier ones become free.
      settings: by whom and how.
      thresholds: where the lines are drawn.

    Yields:
      For each answer its record or why it could not be checked, in any order.

    Raises:
      RunStopped: no call can succeed.
    """
    session = CheckSession(settings)
    finished: SimpleQueue[Outcome] = SimpleQueue()
    under_way = 0
    try:
        for answer in answers:
            decision = route(answer)
            if decision is not None:
                yield tag_answer(CheckedAnswer(answer=answer, decision=decision), thresholds)
                continue
            session.submit(answer, finished.put)
            under_way += 1
            if under_way > settings.max_in_flight:
                yield _result(finished.get(), thresholds)
                under_way -= 1
        for _ in range(under_way):
            yield _result(finished.get(), thresholds)
    finally:
        session.close()


def _result(outcome: Outcome, thresholds: Thresholds) -> EnrichedAnswer | CheckFailed:
    if isinstance(outcome, CheckedAnswer):
        return tag_answer(outcome, thresholds)
    if isinstance(outcome, RunStopped) or not isinstance(outcome, CheckFailed):
        raise outcome
    return outcome
