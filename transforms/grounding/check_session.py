"""Run one event loop and one client for all the checks of a process."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable

from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer
from transforms.grounding.check_answer import check_answer
from transforms.grounding.client import GroundingClient, Sent
from transforms.grounding.rate_limiter import Throttle
from transforms.grounding.settings import CheckSettings

Outcome = CheckedAnswer | Exception
Done = Callable[[Outcome], None]
_STOP_TIMEOUT_S = 5.0


class CheckSession:
    """Check answers on a thread of its own, so that a bundle need not wait for each.

    A check that is detached goes on when its bundle has ended. Whoever submits the same answer
    again gets its outcome, so that the check is neither sent nor paid for twice.

    Args:
      settings: how to check.
      throttle: holds calls back while the service refuses; None never does.
    """

    def __init__(self, settings: CheckSettings, throttle: Throttle | None = None) -> None:
        self._settings = settings
        self._client = GroundingClient(settings, throttle)
        self._waiting: deque[tuple[Answer, Done]] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[None]] = set()
        # By record id; changed on the loop's thread alone.
        self._checks: dict[str, _Check] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="check-grounding", daemon=True
        )
        self._thread.start()

    def submit(self, answer: Answer, done: Done) -> None:
        """Begin to check an answer, or take over its detached check.

        Args:
          answer: with text and facts.
          done: is called on the session's thread with the checked answer, or what was raised.
        """
        self._waiting.append((answer, done))
        # Waking the loop costs more than an answer's entry in the queue; a second wake-up by
        # another thread at the same moment does no harm.
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._begin)

    def detach(self, record_ids: Iterable[str]) -> None:
        """Let checks go on without their bundle; when this returns, none of them calls back.

        Args:
          record_ids: of answers that were submitted; checks that have ended are passed over.
        """
        detaching = self._detach(tuple(record_ids))
        asyncio.run_coroutine_threadsafe(detaching, self._loop).result()

    def has_ended(self, record_id: str) -> bool:
        """Tell whether whoever submits a detached answer again gets an outcome at once."""
        check = self._checks.get(record_id)
        return check is None or check.outcome is not None

    def begin(self, owner: int, *, again: bool) -> None:
        """Work for a part of the run from now on: see `ReplyStore.begin`."""
        self._client.begin(owner, again=again)

    def flush(self) -> None:
        """Write what has been sent: see `GroundingClient.flush`."""
        self._client.flush()

    @property
    def sent(self) -> Sent:
        """What has been sent, to be read on any thread."""
        return self._client.sent

    def close(self) -> None:
        """Close the connections and stop the thread; checks under way are abandoned."""
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
        # What was submitted a moment ago has begun by now.
        self._begin()
        for record_id in record_ids:
            if check := self._checks.get(record_id):
                check.done = None

    def _begin(self) -> None:
        # First, so that whoever finds the queue empty after this wakes the loop again.
        self._is_woken = False
        while self._waiting:
            answer, done = self._waiting.popleft()
            detached = self._checks.get(answer.record_id)
            if detached is None or detached.done is not None:
                self._start(answer, done)
            elif detached.outcome is None:
                detached.done = done
            else:
                del self._checks[answer.record_id]
                done(detached.outcome)

    def _start(self, answer: Answer, done: Done) -> None:
        check = _Check(done)
        # Of two equal ids under way at once only the first can be detached.
        self._checks.setdefault(answer.record_id, check)
        task = self._loop.create_task(self._run(answer, check))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, answer: Answer, check: "_Check") -> None:
        outcome: Outcome
        try:
            outcome = await check_answer(answer, self._client, self._settings)
        except Exception as error:  # noqa: BLE001 - the bundle's thread decides what it means
            outcome = error
        if check.done is None:
            check.outcome = outcome
            return
        if self._checks.get(answer.record_id) is check:
            del self._checks[answer.record_id]
        check.done(outcome)


class _Check:
    """A check that is under way, or detached and over.

    Attributes:
      done: takes the outcome; None for a detached check.
      outcome: that of a detached check that is over.
    """

    __slots__ = ("done", "outcome")

    def __init__(self, done: Done) -> None:
        self.done: Done | None = done
        self.outcome: Outcome | None = None
