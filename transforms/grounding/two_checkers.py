"""Check answers by a first checker, and by a second one those that are uncertain."""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.lexical.claims.claim_forms import has_hard_claim
from groundwatch.transforms.rules.checker_outages import CheckerStatus
from groundwatch.transforms.rules.escalation import screen_answer
from .check_session import BackgroundSession, CheckOutcome, CheckSession, Done
from .client import SentCalls
from .errors import OverBudget, Rejected
from .processes_session import ProcessesSession
from .rate_limiter import AdaptiveThrottle
from .settings import CheckSettings, Screening


class TwoCheckers(CheckSession):
    """Check each answer by a first checker, and those that a rule picks by a second one.

    What is sent, spent and stored is what both are asked, or the second one alone if the first one
    is the embedded checker. An answer that the second one refuses for good keeps the verdict of the
    first one, and so does one that the budget does not allow it to check, unless such answers are
    deferred.

    Args:
      first: checks each answer.
      second: checks those that are picked.
      screening: says which those are, by the reply of the first one.
    """

    def __init__(self, first: CheckSession, second: CheckSession, screening: Screening) -> None:
        self._first = first
        self._second = second
        self._screening = screening
        self._paid = (first, second) if screening.pays_first else (second,)

    def submit(self, answer: Answer, done: Done) -> None:
        """Start the check of an answer; `done` is called at once or on another thread."""
        self._first.submit(answer, partial(self._screen, done))

    def take_sent(self) -> SentCalls:
        """Return what has been sent since the last call, the embedded first checker left out."""
        return SentCalls(*map(sum, zip(*(each.take_sent() for each in self._paid), strict=True)))

    def statuses(self) -> tuple[CheckerStatus, ...]:
        return (*self._first.statuses(), *self._second.statuses())

    def start_batch(self, batch: int, *, is_retry: bool) -> None:
        for each in self._paid:
            each.start_batch(batch, is_retry=is_retry)

    def flush(self) -> None:
        for each in self._paid:
            each.flush()

    def stop_when(self, is_stopped: Callable[[], bool]) -> None:
        self._first.stop_when(is_stopped)
        self._second.stop_when(is_stopped)

    def detach(self, record_ids: Iterable[str]) -> None:
        detached = tuple(record_ids)
        # In this order: the first checker hands over to the second one.
        self._first.detach(detached)
        self._second.detach(detached)

    def has_ended(self, record_id: str) -> bool:
        return self._first.has_ended(record_id) and self._second.has_ended(record_id)

    def close(self) -> None:
        self._first.close()
        self._second.close()

    def _screen(self, done: Done, outcome: CheckOutcome) -> None:
        if isinstance(outcome, CheckedAnswer):
            try:
                outcome = screen_answer(outcome, self._screening.rule, has_hard_claim)
            except Exception as error:  # noqa: BLE001 - whoever submitted the answer handles it
                outcome = error
        if isinstance(outcome, CheckedAnswer) and outcome.escalation:
            self._second.submit(outcome.answer, partial(self._decide, done, outcome))
        else:
            done(outcome)

    def _decide(self, done: Done, screened: CheckedAnswer, outcome: CheckOutcome) -> None:
        """Hand over the second checker's reply, with what the first one had found."""
        if isinstance(outcome, CheckedAnswer) and outcome.grounding:
            outcome = replace(outcome, screen=screened.screen, escalation=screened.escalation)
        elif isinstance(outcome, CheckedAnswer | Rejected):
            outcome = replace(screened, escalation=Tag.NOT_ESCALATED)
        elif isinstance(outcome, OverBudget) and not self._screening.defers_over_budget:
            outcome = replace(screened, escalation=Tag.NOT_ESCALATED, over_budget=True)
        done(outcome)


def open_session(settings: CheckSettings, throttle: AdaptiveThrottle | None = None) -> CheckSession:
    """Open the session that suits a checker, or two; `throttle` delays calls while it fails."""
    if settings.screen is None:
        return _open_one(settings, throttle)
    has_throttle = throttle and settings.screen.pays_first
    first = _open_one(settings.screen.first, AdaptiveThrottle() if has_throttle else None)
    try:
        second = _open_one(settings, throttle)
    except BaseException:
        first.close()
        raise
    return TwoCheckers(first, second, settings.screen)


def _open_one(settings: CheckSettings, throttle: AdaptiveThrottle | None) -> CheckSession:
    has_limits = settings.pays_once or settings.requests_per_minute is not None
    if settings.is_lexical and not has_limits:
        return CheckSession(settings) if settings.processes == 1 else ProcessesSession(settings)
    return BackgroundSession(settings, throttle)
