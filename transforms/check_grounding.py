"""CheckGrounding: ask the checker about each answer that needs it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
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
from transforms.grounding.client import SentCalls
from transforms.grounding.errors import BadReply, CheckFailed, OverBudget, RunStopped, Unavailable
from transforms.grounding.settings import LOCAL, CheckSettings, OutagePolicy
from transforms.runtime import counters
from transforms.runtime.failures import FAILURES, TaggedFailure, failed_now
from transforms.runtime.shared_resources import SharedResources
from transforms.runtime.throttle import AdaptiveThrottle

CHECKED = "checked"
LEFT: Literal["left"] = "left"
TaggedLeft: TypeAlias = TaggedOutput[Literal["left"], Answer]


class CheckGrounding(beam.PTransform):
    """Check answers against their facts, many at a time.

    Input: PCollection[RoutedAnswer], bounded or not.
    Output: three PCollections. `checked` holds a CheckedAnswer for every answer that was decided
      already or got a reply, window and timestamp kept, order not; `failures` holds one Failure
      for every other but those in `left`: answers that the run's budget did not allow, or, with
      OutagePolicy.HOLD, whose check takes longer than most and goes on in the background.
    Failures: Rejected at once; AnswerRefused where the checker answers others; Unavailable and
      BadReply, retryable, after the last attempt. RunStopped fails the bundle: no answer could be
      checked. So does Unavailable with OutagePolicy.REDELIVER.
    Delivery: at least once; a retried bundle asks again, which is harmless but billed.

    Args:
      settings: by whom and how; `max_in_flight` calls are under way at once in a process.
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


_UNDER_WAY_HERE = 16
"""Answers handed to the embedded checker at once. It has no latency to be hidden, and of few
answers what was read of their facts is still remembered when they are tagged."""


_LATE_AFTER_S = 1.0
_LATE_AFTER_AVERAGES = 3.0
"""With OutagePolicy.HOLD a check that takes longer is left to the background."""

_WEIGHT = 0.05
_LOOK_AGAIN_S = 0.05


class _Submitted(NamedTuple):
    """An answer whose check is under way, and when it was submitted."""

    answer: Answer
    timestamp: Timestamp
    window: Any
    at_s: float


class _CheckAnswer(beam.DoFn):
    """Submits each answer, and emits whichever checks have finished meanwhile.

    A call takes far longer than the work around it, so a bundle that waited for each would stand
    still; gathering fixed batches waits for the slowest of each.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._most_under_way = _most_under_way(settings)
        self._holds = settings.outage is OutagePolicy.HOLD

    def setup(self) -> None:
        self._opened = checks_open(self._settings)
        self._checks = self._opened.__enter__()

    def start_bundle(self) -> None:
        # A queue of its own for each bundle: a late reply to a failed one is nobody's.
        self._finished: SimpleQueue[tuple[int, Outcome]] = SimpleQueue()
        # By number, in the order of submission.
        self._under_way: dict[int, _Submitted] = {}
        self._submitted = 0

    def process(
        self,
        routed: RoutedAnswer,
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Iterator[CheckedAnswer | TaggedFailure | TaggedLeft]:
        if routed.decision is not None:
            yield CheckedAnswer(answer=routed.answer, decision=routed.decision)
            return
        self._submit(routed.answer, timestamp, window)
        while not self._finished.empty() or self._has_no_room():
            yield from self._next_finished()

    def finish_bundle(self) -> Iterator[Any]:
        while self._under_way and not self._are_all_late():
            yield from self._next_finished()
        yield from self._leave_late()
        self._checks.throttle.signal()

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)

    def _submit(self, answer: Answer, timestamp: Timestamp, window: Any) -> None:
        finished, number = self._finished, self._submitted

        def done(outcome: Outcome) -> None:
            finished.put((number, outcome))

        self._submitted += 1
        self._under_way[number] = _Submitted(answer, timestamp, window, time.monotonic())
        self._checks.session.submit(answer, done)

    def _has_no_room(self) -> bool:
        """Tell whether as many checks are under way as may be; late ones take no room."""
        if len(self._under_way) < self._most_under_way:
            return False
        if not self._holds:
            return True
        in_time = len(self._under_way) - sum(1 for _ in self._late())
        return in_time >= self._most_under_way

    def _are_all_late(self) -> bool:
        return self._holds and sum(1 for _ in self._late()) == len(self._under_way)

    def _late(self) -> Iterator[_Submitted]:
        """List the checks that take longer than most do."""
        since_s = time.monotonic() - self._checks.latency.late_after_s
        for submitted in self._under_way.values():
            if submitted.at_s > since_s:
                return
            yield submitted

    def _leave_late(self) -> Iterator[Any]:
        """Let the late checks go on in the background, and leave their answers for later."""
        self._checks.session.detach(late.answer.record_id for late in self._under_way.values())
        while not self._finished.empty():
            yield from self._next_finished()
        for late in self._under_way.values():
            counters.LEFT.inc()
            left = WindowedValue(late.answer, late.timestamp, (late.window,))
            yield TaggedOutput(LEFT, left)
        self._under_way.clear()

    def _next_finished(self) -> Iterator[Any]:
        """Take a check that is over; with OutagePolicy.HOLD none may be for a moment."""
        try:
            number, outcome = self._finished.get(timeout=_LOOK_AGAIN_S if self._holds else None)
        except Empty:
            return
        answer, timestamp, window, _ = self._under_way.pop(number)
        self._checks.count_sent()
        if isinstance(outcome, CheckedAnswer):
            _count(outcome)
            self._checks.latency.add(outcome)
            yield WindowedValue(outcome, timestamp, (window,))
            return
        self._checks.throttle.signal()
        if isinstance(outcome, OverBudget):
            counters.LEFT.inc()
            yield TaggedOutput(LEFT, WindowedValue(answer, timestamp, (window,)))
            return
        failure = self._failure(answer, outcome)
        yield TaggedOutput(FAILURES, WindowedValue(failure, timestamp, (window,)))

    def _failure(self, answer: Answer, error: Exception) -> Failure:
        """Make the one answer's failure of it; raise what is no fault of the answer."""
        if not isinstance(error, CheckFailed) or isinstance(error, RunStopped):
            raise error
        if _is_outage(error) and self._settings.outage is OutagePolicy.REDELIVER:
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


def _most_under_way(settings: CheckSettings) -> int:
    """Some more than are called at once, so that no call's place is empty until a thread wakes."""
    if settings.checker == LOCAL:
        return _UNDER_WAY_HERE
    return settings.max_in_flight + settings.max_in_flight // 2 + 1


def _is_outage(error: Exception) -> bool:
    return isinstance(error, Unavailable) and not isinstance(error, BadReply)


class _Latency:
    """How long checks take that are answered."""

    def __init__(self) -> None:
        self._average_ms: float | None = None

    @property
    def late_after_s(self) -> float:
        """After how many seconds a check takes longer than most."""
        if self._average_ms is None:
            return _LATE_AFTER_S
        return max(_LATE_AFTER_S, _LATE_AFTER_AVERAGES * self._average_ms / 1_000)

    def add(self, checked: CheckedAnswer) -> None:
        """Count a check."""
        if checked.check and not checked.check.cached:
            latency_ms = checked.check.latency_ms
            before_ms = latency_ms if self._average_ms is None else self._average_ms
            self._average_ms = before_ms + _WEIGHT * (latency_ms - before_ms)


class _Checks:
    """A session with its throttle and its latency, which the threads of a process share."""

    def __init__(self, settings: CheckSettings) -> None:
        self.throttle = AdaptiveThrottle()
        self.latency = _Latency()
        # The embedded checker refuses nothing.
        throttle = None if settings.checker == LOCAL else self.throttle
        self.session = CheckSession(settings, throttle)
        self._counted = SentCalls()
        self._lock = threading.Lock()

    def count_sent(self) -> None:
        """Count what has been sent since the last call; on a bundle thread only."""
        with self._lock:
            new = self.session.sent.since(self._counted)
            self._counted = self._counted.plus(new)
        if new.calls:
            counters.CALLS.inc(new.calls)
            counters.RETRIES.inc(new.retries)
            counters.CHARACTERS.inc(new.characters)

    def close(self) -> None:
        self.session.close()


_CHECKS: SharedResources[_Checks] = SharedResources()


@contextmanager
def checks_open(settings: CheckSettings) -> Iterator[_Checks]:
    """Hold connections and cache open, as the steps of this process use them."""
    key = msgspec.json.encode(settings)
    checks = _CHECKS.acquire(key, partial(_Checks, settings))
    try:
        yield checks
    finally:
        _CHECKS.release(key)


def _count(checked: CheckedAnswer) -> None:
    if checked.check is None:
        return
    counters.CHECKS_OK.inc()
    counters.CHECK_LATENCY_MS.update(checked.check.latency_ms)
