"""CheckGrounding: check the answers that need a call."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import takewhile
from operator import add, attrgetter
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import apache_beam as beam
import msgspec
from apache_beam.io.components.adaptive_throttler import ThrottlingSignaler
from apache_beam.pvalue import DoOutputsTuple, PCollection, TaggedOutput
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import Timestamp
from apache_beam.utils.windowed_value import WindowedValue

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import Check, CheckedAnswer
from groundwatch.schemas.failure import Failure
from .fill_bundles import FillBundles
from .grounding.check_session import CheckOutcome, CheckSession
from .grounding.client import SentCalls
from .grounding.errors import BadReply, Deferred, Unavailable, is_of_answer
from .grounding.python_checker import Checker
from .grounding.rate_limiter import AdaptiveThrottle
from .grounding.settings import LOCAL, CheckSettings, OutagePolicy, with_screen
from .grounding.two_checkers import open_session
from .rules.thresholds import EscalationRule
from .runtime import counters
from .runtime.failures import FAILURES, TAGS_ARE_TYPED, TaggedFailure, failed_now
from .runtime.shared_resources import SharedResources

CHECKED = "checked"
DEFERRED: Literal["deferred"] = "deferred"
if TYPE_CHECKING or TAGS_ARE_TYPED:
    TaggedDeferred: TypeAlias = TaggedOutput[Literal["deferred"], Answer]
else:
    TaggedDeferred = Any

_ANSWERS_IN_EMBEDDED_CHECKER = 16
"""The embedded checker has no latency to hide. With few answers in flight, what was cached of their
facts is still there when they are tagged."""

_DEFERRED_AFTER_S = 1.0
_DEFERRED_AFTER_AVERAGES = 3.0
"""With OutagePolicy.HOLD a check is deferred after this time and so many average latencies."""

_AVERAGE_WEIGHT = 0.05
_POLL_S = 0.05
_CHECKS_PER_COUNT = 16


class CheckGrounding(beam.PTransform):
    """Check answers against their facts, many at a time.

    Input: PCollection[CheckedAnswer], bounded or not.
    Output: three PCollections, in the windows and at the timestamps of the input. `checked` holds
      the answers with a reply, and those that needed no call. `failures` holds one Failure for each
      failed check. `deferred` holds the answers that were not checked: because the run's budget is
      used up, or, with OutagePolicy.HOLD, because the check takes long and continues in the
      background.
    Failures: Rejected and AnswerRefused; Unavailable and BadReply, which are retryable, after the
      last attempt. RunStopped fails the bundle; so does Unavailable with OutagePolicy.REDELIVER.
    Delivery: at least once; a retried bundle calls again, which is harmless but billed.

    Args:
      settings: of the check, or a checker as `check` takes it; `max_in_flight` limits the calls
        under way in a process.
      fill_bundles: batches the answers first, None if the bundles are large enough.
      escalate: a second checker, given alike, which decides what the first one is uncertain of.
      rule: which answers those are.
    """

    def __init__(
        self,
        settings: str | Checker | CheckSettings = LOCAL,
        fill_bundles: FillBundles | None = None,
        *,
        escalate: str | Checker | CheckSettings | None = None,
        rule: EscalationRule = EscalationRule(),  # noqa: B008 - it is frozen
    ) -> None:
        super().__init__()
        self.settings = with_screen(settings, escalate, rule)
        self.fill_bundles = fill_bundles

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, routed: PCollection[CheckedAnswer]) -> DoOutputsTuple:
        if self.fill_bundles:
            routed = routed | "FillBundles" >> self.fill_bundles
        check = beam.ParDo(_CheckAnswer(self.settings))
        return routed | "CheckAnswer" >> check.with_outputs(FAILURES, DEFERRED, main=CHECKED)


class _InFlight(NamedTuple):
    """An answer in flight, and when it was submitted."""

    answer: Answer
    timestamp: Timestamp
    window: Any
    at_s: float

    def output(self, value: object) -> WindowedValue:
        return WindowedValue(value, self.timestamp, (self.window,))


class _CheckAnswer(beam.DoFn):
    """Submit each answer, and emit the checks that have ended meanwhile.

    Waiting for each call would leave the bundle idle, and a fixed batch would wait for its slowest
    call.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._most_in_flight = _ANSWERS_IN_EMBEDDED_CHECKER * settings.checkers[0].processes
        called = [each.max_in_flight for each in settings.checkers if each.checker != LOCAL]
        if called:
            # More answers than calls, so that a call can start before this thread wakes up.
            self._most_in_flight = max(called) + max(called) // 2 + 1

    def setup(self) -> None:
        self._opened = checks_open(self._settings)
        self._session = self._opened.__enter__()

    def start_bundle(self) -> None:
        # Each bundle has its own queue: late replies to a failed bundle are dropped.
        self._ended: SimpleQueue[tuple[int, CheckOutcome]] = SimpleQueue()
        # By number, in the order of submission.
        self._in_flight: dict[int, _InFlight] = {}
        self._submitted = 0
        self._uncounted: list[Check] = []

    def process(
        self,
        routed: CheckedAnswer,
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Iterator[CheckedAnswer | TaggedFailure | TaggedDeferred]:
        if routed.decision is not None:
            yield routed
            return
        ended, number = self._ended, self._submitted
        self._submitted += 1
        self._in_flight[number] = _InFlight(routed.answer, timestamp, window, time.monotonic())
        self._session.checks.submit(routed.answer, lambda outcome: ended.put((number, outcome)))
        while not ended.empty() or self._count_not_deferred() >= self._most_in_flight:
            yield from self._next_ended()

    def finish_bundle(self) -> Iterator[Any]:
        while self._count_not_deferred():
            yield from self._next_ended()
        if self._in_flight:
            # These checks continue in the background.
            self._session.checks.detach(each.answer.record_id for each in self._in_flight.values())
            while not self._ended.empty():
                yield from self._next_ended()
            yield from map(_deferred, self._in_flight.values())
            self._in_flight.clear()
        self._count()

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)

    def _count_not_deferred(self) -> int:
        """Count the checks in flight, without those that take so long that they are deferred."""
        deferred_after_s = self._session.deferred_after_s
        if deferred_after_s == math.inf:
            return len(self._in_flight)
        since_s = time.monotonic() - deferred_after_s
        in_flight = self._in_flight.values()
        deferred = sum(1 for _ in takewhile(lambda check: check.at_s <= since_s, in_flight))
        return len(in_flight) - deferred

    def _next_ended(self) -> Iterator[Any]:
        """Wait for a check to end, or for one to be deferred, and emit what has ended."""
        wait_s = None if self._session.deferred_after_s == math.inf else _POLL_S
        try:
            number, outcome = self._ended.get(timeout=wait_s)
        except Empty:
            return
        check = self._in_flight.pop(number)
        if isinstance(outcome, CheckedAnswer):
            if outcome.check:
                self._uncounted.append(outcome.check)
            if outcome.escalation:
                counters.ESCALATIONS[outcome.escalation].inc()
                counters.OVER_BUDGET.inc(int(outcome.over_budget))
            if len(self._uncounted) >= _CHECKS_PER_COUNT:
                self._count()
            yield check.output(outcome)
            return
        self._count()
        if isinstance(outcome, Deferred):
            yield _deferred(check)
        else:
            yield TaggedOutput(FAILURES, check.output(self._failure(check.answer, outcome)))

    def _count(self) -> None:
        ended, self._uncounted = self._uncounted, []
        self._session.count(ended)

    def _failure(self, answer: Answer, error: Exception) -> Failure:
        """Return the failure of one answer; raise an error that concerns all of them."""
        if not is_of_answer(error):
            raise error
        is_outage = isinstance(error, Unavailable) and not isinstance(error, BadReply)
        if is_outage and self._settings.outage is OutagePolicy.REDELIVER:
            raise error
        counters.CHECKS_FAILED.inc()
        counters.RETRYABLE_FAILURES.inc(int(error.retryable))
        return failed_now(
            answer.message,
            "CheckGrounding",
            error,
            retryable=error.retryable,
            attempts=error.attempts,
            first_failed_at_us=error.first_failed_at_us,
            answer=answer,
        )


def _deferred(check: _InFlight) -> TaggedDeferred:
    counters.DEFERRED.inc()
    return TaggedOutput(DEFERRED, check.output(check.answer))


class CountedSession:
    """A session that the threads of a process share, with its counts.

    Attributes:
      checks: the session.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._throttle = AdaptiveThrottle()
        # The embedded checker is never overloaded.
        throttle = None if settings.checker == LOCAL else self._throttle
        self.checks: CheckSession = open_session(settings, throttle)
        self.close = self.checks.close
        self._signaler = ThrottlingSignaler(counters.NAMESPACE)
        self._lock = threading.Lock()
        self._checker = settings.checker_name
        # Calls that Beam's counters do not have yet.
        self._shown = SentCalls()
        self._average_ms = 0.0
        self._min_deferred_s = (
            _DEFERRED_AFTER_S if settings.outage is OutagePolicy.HOLD else math.inf
        )

    @property
    def deferred_after_s(self) -> float:
        """Seconds after which a check is deferred; infinite unless with OutagePolicy.HOLD."""
        return max(self._min_deferred_s, _DEFERRED_AFTER_AVERAGES * self._average_ms / 1_000)

    def show_sent(self) -> None:
        """Show the calls since the last time in this process' counters, also between bundles."""
        with self._lock:
            sent = self.checks.take_sent()
            self._shown = SentCalls(*map(add, self._shown, sent))
            for counter, by in zip(counters.SENT, sent, strict=True):
                counter.show(by)

    def count(self, ended: list[Check]) -> None:
        """Count checks that have ended, and the calls since the last time; on a bundle thread."""
        self.show_sent()
        with self._lock:
            sent, self._shown = self._shown, SentCalls()
        for counter, by in zip(counters.SENT, sent, strict=True):
            counter.commit(by)
        counters.CHECKS_OK.inc(len(ended))
        # A first checker's are not mixed with those of the one that calls are made to.
        timed = [check for check in ended if check.checker == self._checker]
        counters.CHECK_LATENCY_MS.update(*(check.latency_ms for check in timed))
        for check in timed:
            if not check.cached:
                before_ms = self._average_ms or check.latency_ms
                self._average_ms = before_ms + _AVERAGE_WEIGHT * (check.latency_ms - before_ms)
        # Beam's autoscaler sees the throttled time.
        if waited_s := self._throttle.take_wait_s():
            self._signaler.signal_throttled(waited_s)


_SESSIONS: SharedResources[CountedSession] = SharedResources()


def checks_open(settings: CheckSettings) -> AbstractContextManager[CountedSession]:
    """Open the connections and the cache, shared with the steps of this process."""
    key = msgspec.json.encode(settings, enc_hook=attrgetter("key"))
    return _SESSIONS.using(key, partial(CountedSession, settings))
