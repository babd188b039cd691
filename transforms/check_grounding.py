"""CheckGrounding: check the answers that need a call."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple, TypeAlias

import apache_beam as beam
import msgspec
from apache_beam.pvalue import DoOutputsTuple, PCollection, TaggedOutput
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import Timestamp
from apache_beam.utils.windowed_value import WindowedValue

from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer, RoutedAnswer
from schemas.failure import Failure
from transforms.fill_bundles import FillBundles
from transforms.grounding.check_session import CheckSession, Outcome
from transforms.grounding.errors import BadReply, CheckFailed, OverBudget, RunStopped, Unavailable
from transforms.grounding.settings import LOCAL, CheckSettings, OutagePolicy
from transforms.runtime import counters
from transforms.runtime.failures import FAILURES, TaggedFailure, failed_now
from transforms.runtime.shared_resources import SharedResources
from transforms.runtime.throttle import AdaptiveThrottle

CHECKED = "checked"
LEFT: Literal["left"] = "left"
TaggedLeft: TypeAlias = TaggedOutput[Literal["left"], Answer]


_ANSWERS_IN_EMBEDDED_CHECKER = 16
"""The embedded checker has no latency to hide. With few answers in flight, what was cached of their
facts is still there when they are tagged."""

_LATE_AFTER_S = 1.0
_LATE_AFTER_AVERAGES = 3.0
"""With OutagePolicy.HOLD a check is late after this time and these average latencies."""

_AVERAGE_WEIGHT = 0.05
_POLL_S = 0.05


class CheckGrounding(beam.PTransform):
    """Check answers against their facts, many at a time.

    Input: PCollection[RoutedAnswer], bounded or not.
    Output: three PCollections, in the windows and at the timestamps of the input. `checked` holds
      the answers with a reply, and those that needed no call. `failures` holds one Failure for each
      failed check. `left` holds the answers that were not checked: because the run's budget is used
      up, or, with OutagePolicy.HOLD, because the check is late and continues in the background.
    Failures: Rejected and AnswerRefused; Unavailable and BadReply, which are retryable, after the
      last attempt. RunStopped fails the bundle; so does Unavailable with OutagePolicy.REDELIVER.
    Delivery: at least once; a retried bundle calls again, which is harmless but billed.

    Args:
      settings: of the check; `max_in_flight` limits the concurrent calls of a process.
    """

    def __init__(self, settings: CheckSettings) -> None:
        super().__init__()
        self.settings = settings

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, routed: PCollection[RoutedAnswer]) -> DoOutputsTuple:
        """Apply the step."""
        check = _CheckAnswer(self.settings)
        if not routed.is_bounded:
            routed = routed | "FillBundles" >> FillBundles(self.settings.max_in_flight)
        return routed | "CheckAnswer" >> beam.ParDo(check).with_outputs(
            FAILURES, LEFT, main=CHECKED
        )


class _Submitted(NamedTuple):
    """An answer in flight, and when it was submitted."""

    answer: Answer
    timestamp: Timestamp
    window: Any
    at_s: float


class _CheckAnswer(beam.DoFn):
    """Submit each answer, and emit the checks that have ended meanwhile.

    Waiting for each call would leave the bundle idle, and a fixed batch would wait for its slowest
    call.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._holds = settings.outage is OutagePolicy.HOLD
        self._most_in_flight = _ANSWERS_IN_EMBEDDED_CHECKER
        if settings.checker != LOCAL:
            # More answers than calls, so that a call can start before this thread wakes up.
            self._most_in_flight = settings.max_in_flight + settings.max_in_flight // 2 + 1

    def setup(self) -> None:
        self._opened = checks_open(self._settings)
        self._checks = self._opened.__enter__()

    def start_bundle(self) -> None:
        # Each bundle has its own queue: late replies to a failed bundle are dropped.
        self._ended: SimpleQueue[tuple[int, Outcome]] = SimpleQueue()
        # By number, in the order of submission.
        self._in_flight: dict[int, _Submitted] = {}
        self._submitted = 0

    def process(
        self,
        routed: RoutedAnswer,
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Iterator[CheckedAnswer | TaggedFailure | TaggedLeft]:
        answer = routed.answer
        if routed.decision is not None:
            yield CheckedAnswer(answer=answer, decision=routed.decision)
            return
        ended, number = self._ended, self._submitted
        self._submitted += 1
        self._in_flight[number] = _Submitted(answer, timestamp, window, time.monotonic())
        self._checks.session.submit(answer, lambda outcome: ended.put((number, outcome)))
        while not ended.empty() or self._count_in_time() >= self._most_in_flight:
            yield from self._next_ended()

    def finish_bundle(self) -> Iterator[Any]:
        while self._count_in_time():
            yield from self._next_ended()
        yield from self._leave_late()
        self._checks.throttle.signal()

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)

    def _count_in_time(self) -> int:
        """Count the checks in flight, without late ones if they may continue in the background."""
        if not self._holds:
            return len(self._in_flight)
        since_s = time.monotonic() - self._checks.late_after_s()
        submitted = self._in_flight.values()
        late = sum(1 for _ in takewhile(lambda check: check.at_s <= since_s, submitted))
        return len(self._in_flight) - late

    def _leave_late(self) -> Iterator[Any]:
        """Let the late checks continue in the background, and emit their answers as left."""
        record_ids = [late.answer.record_id for late in self._in_flight.values()]
        self._checks.session.detach(record_ids)
        while not self._ended.empty():
            yield from self._next_ended()
        for late in self._in_flight.values():
            yield _left(late)
        self._in_flight.clear()

    def _next_ended(self) -> Iterator[Any]:
        """Wait for a check to end and emit it; with OutagePolicy.HOLD, wait for a moment only."""
        try:
            number, outcome = self._ended.get(timeout=_POLL_S if self._holds else None)
        except Empty:
            return
        submitted = self._in_flight.pop(number)
        self._checks.count(outcome)
        if isinstance(outcome, CheckedAnswer):
            yield WindowedValue(outcome, submitted.timestamp, (submitted.window,))
        elif isinstance(outcome, OverBudget):
            yield _left(submitted)
        else:
            failure = self._failure(submitted.answer, outcome)
            value = WindowedValue(failure, submitted.timestamp, (submitted.window,))
            yield TaggedOutput(FAILURES, value)

    def _failure(self, answer: Answer, error: Exception) -> Failure:
        """Return the failure of one answer; raise an error that concerns all of them."""
        if not isinstance(error, CheckFailed) or isinstance(error, RunStopped):
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
            record_id=answer.record_id,
        )


def _left(submitted: _Submitted) -> TaggedLeft:
    counters.LEFT.inc()
    value = WindowedValue(submitted.answer, submitted.timestamp, (submitted.window,))
    return TaggedOutput(LEFT, value)


class _Checks:
    """A session with its throttle and counts, shared by the threads of a process."""

    def __init__(self, settings: CheckSettings) -> None:
        self.throttle = AdaptiveThrottle()
        # The embedded checker is never overloaded.
        throttle = None if settings.checker == LOCAL else self.throttle
        self.session = CheckSession(settings, throttle)
        self._average_ms: float | None = None

    def late_after_s(self) -> float:
        """Return after how many seconds a check is late."""
        return max(_LATE_AFTER_S, _LATE_AFTER_AVERAGES * (self._average_ms or 0.0) / 1_000)

    def count(self, outcome: Outcome) -> None:
        """Count a check that has ended, and the calls since the last one; on a bundle thread."""
        sent = self.session.take_sent()
        if sent.calls:
            counters.CALLS.inc(sent.calls)
            counters.RETRIES.inc(sent.retries)
            counters.CHARACTERS.inc(sent.characters)
        if not isinstance(outcome, CheckedAnswer):
            self.throttle.signal()
        elif outcome.check:
            latency_ms = outcome.check.latency_ms
            counters.CHECKS_OK.inc()
            counters.CHECK_LATENCY_MS.update(latency_ms)
            if not outcome.check.cached:
                before_ms = latency_ms if self._average_ms is None else self._average_ms
                self._average_ms = before_ms + _AVERAGE_WEIGHT * (latency_ms - before_ms)

    def close(self) -> None:
        """Close the session."""
        self.session.close()


_CHECKS: SharedResources[_Checks] = SharedResources()


@contextmanager
def checks_open(settings: CheckSettings) -> Iterator[_Checks]:
    """Open the connections and the cache, shared with the steps of this process."""
    key = msgspec.json.encode(settings)
    checks = _CHECKS.acquire(key, partial(_Checks, settings))
    try:
        yield checks
    finally:
        _CHECKS.release(key)
