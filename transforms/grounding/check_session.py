"""Run the checks of a process on one event loop, in a thread of its own."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable

from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer
from transforms.grounding.check_answer import check_answer
from transforms.grounding.client import GroundingClient, SentCalls
from transforms.grounding.rate_limiter import Throttle
from transforms.grounding.settings import CheckSettings

Outcome = CheckedAnswer | Exception
Done = Callable[[Outcome], None]
_STOP_TIMEOUT_S = 5.0


class CheckSession:
    """Check answers in the background, so that a bundle does not wait for each.

    A detached check continues after its bundle. Submitting the same answer again returns its
    outcome, so that the check is neither sent nor paid for twice.

    Args:
      settings: of the check.
      throttle: delays calls while the checker fails; None delays none.
    """

    def __init__(self, settings: CheckSettings, throttle: Throttle | None = None) -> None:
        self._settings = settings
        self._client = GroundingClient(settings, throttle)
        self._submitted: deque[tuple[Answer, Done]] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[None]] = set()
        # By record id; changed on the loop's thread only.
        self._checks: dict[str, _Check] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="check-grounding", daemon=True
        )
        self._thread.start()

    def submit(self, answer: Answer, done: Done) -> None:
        """Start the check of an answer, or attach to its detached check.

        Args:
          answer: with text and facts.
          done: called on the session's thread with the checked answer or the error.
        """
        self._submitted.append((answer, done))
        # Waking the loop is expensive. A second wake-up by another thread does no harm.
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._start_submitted)

    def detach(self, record_ids: Iterable[str]) -> None:
        """Detach checks from their bundle; after this returns, they do not call back.

        Args:
          record_ids: of submitted answers; ended checks are ignored.
        """
        detaching = self._detach(tuple(record_ids))
        asyncio.run_coroutine_threadsafe(detaching, self._loop).result()

    def has_ended(self, record_id: str) -> bool:
        """Return whether submitting a detached answer again returns an outcome at once."""
        check = self._checks.get(record_id)
        return check is None or check.outcome is not None

    def begin(self, owner: int, *, again: bool) -> None:
        """Begin a part of the run: see `ReplyStore.begin`."""
        self._client.begin(owner, again=again)

    def flush(self) -> None:
        """Write to the reply store what has been sent."""
        self._client.flush()

    def take_sent(self) -> SentCalls:
        """Return what has been sent since the last call, on any thread."""
        return self._client.take_sent()

    def close(self) -> None:
        """Cancel all checks, close the connections and stop the thread."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(_STOP_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_TIMEOUT_S)
        self._loop.close()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()

    async def _detach(self, record_ids: Iterable[str]) -> None:
        self._start_submitted()
        for record_id in record_ids:
            if check := self._checks.get(record_id):
                check.done = None

    def _start_submitted(self) -> None:
        # Reset first: a thread that submits after the queue is empty has to wake the loop again.
        self._is_woken = False
        while self._submitted:
            answer, done = self._submitted.popleft()
            detached = self._checks.get(answer.record_id)
            if detached is None or detached.done is not None:
                check = _Check(done)
                # Of two equal ids in flight only the first can be detached.
                self._checks.setdefault(answer.record_id, check)
                task = self._loop.create_task(self._run(answer, check))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif detached.outcome is None:
                detached.done = done
            else:
                del self._checks[answer.record_id]
                done(detached.outcome)

    async def _run(self, answer: Answer, check: "_Check") -> None:
        outcome: Outcome
        try:
            outcome = await check_answer(answer, self._client, self._settings)
        except Exception as error:  # noqa: BLE001 - the bundle's thread handles it
            outcome = error
        if check.done is None:
            check.outcome = outcome
            return
        if self._checks.get(answer.record_id) is check:
            del self._checks[answer.record_id]
        check.done(outcome)


class _Check:
    """A check in flight, or a detached one that has ended.

    Attributes:
      done: receives the outcome; None if the check is detached.
      outcome: of a detached check that has ended.
    """

    __slots__ = ("done", "outcome")

    def __init__(self, done: Done) -> None:
        self.done: Done | None = done
        self.outcome: Outcome | None = None
