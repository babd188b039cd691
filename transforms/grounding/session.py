"""One event loop and one client for all the checks of a process."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from schemas.answer import Answer
from schemas.checked import CheckedAnswer
from transforms.grounding.checking import check_answer
from transforms.grounding.client import GroundingClient, Sent
from transforms.grounding.pacing import Throttle
from transforms.grounding.settings import CheckSettings

Outcome = CheckedAnswer | Exception
Done = Callable[[Outcome], None]
_STOP_TIMEOUT_S = 5.0


class CheckSession:
    """Checks answers on a thread of its own, so that a bundle need not wait for each.

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
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="check-grounding", daemon=True
        )
        self._thread.start()

    def submit(self, answer: Answer, done: Done) -> None:
        """Begin to check an answer.

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

    def _begin(self) -> None:
        # First, so that whoever finds the queue empty after this wakes the loop again.
        self._is_woken = False
        while self._waiting:
            task = self._loop.create_task(self._check(*self._waiting.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _check(self, answer: Answer, done: Done) -> None:
        try:
            done(await check_answer(answer, self._client, self._settings))
        except Exception as error:  # noqa: BLE001 - the bundle's thread decides what it means
            done(error)
