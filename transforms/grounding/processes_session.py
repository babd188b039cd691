"""Check answers by words in several processes, so that one worker uses several cores."""

import atexit
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import Empty, Queue
from threading import Thread
from typing import NamedTuple

import msgspec

from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.runtime.signals import STOP_SIGNALS, signals_blocked
from .check_session import CheckOutcome, CheckSession, Done
from .planned_check import PlannedCheck
from .settings import CheckSettings

_ANSWERS_A_MESSAGE = 8
"""A message to a process takes 150 us of this one, so that it has several answers."""

_STOP_TIMEOUT_S = 5.0
_log = logging.getLogger(__name__)
_encode = msgspec.msgpack.Encoder().encode
_decode_requests = msgspec.msgpack.Decoder(list[CheckRequest]).decode
_decode_responses = msgspec.msgpack.Decoder(list[CheckResponse] | None).decode


class _Submitted(NamedTuple):
    planned: PlannedCheck
    done: Done
    at_s: float


class ProcessesSession(CheckSession):
    """Check answers by words in `settings.processes` processes; `done` is called on a thread.

    What a process does not reply to, because it was killed or has a bug, is checked in this one.
    """

    def __init__(self, settings: CheckSettings) -> None:
        super().__init__(settings)
        self._submitted: Queue[_Submitted | None] = Queue()
        processes = [_Process() for _ in range(settings.processes)]
        self._threads = [
            Thread(target=self._serve, args=(each,), name="check-by-words", daemon=True)
            for each in processes
        ]
        for thread in self._threads:
            thread.start()

    def detach(self, record_ids: object) -> None:  # noqa: ARG002 - words take milliseconds
        """Wait until all checks have ended."""
        self._submitted.join()

    def close(self) -> None:
        """End the processes when all checks have ended."""
        for _ in self._threads:
            self._submitted.put(None)
        for thread in self._threads:
            thread.join(_STOP_TIMEOUT_S)

    def _check_planned(self, planned: PlannedCheck, done: Done) -> None:
        self._submitted.put(_Submitted(planned, done, time.monotonic()))

    def _serve(self, process: "_Process") -> None:
        """Let a process check what is submitted, until the session is closed."""
        while submitted := self._take():
            requests = [request for each in submitted for request in each.planned.requests]
            responses = process.check(requests)
            if responses is None:
                process = process.or_another()
            left = None if responses is None else iter(responses)
            for each in submitted:
                each.done(self._outcome(each, left))
                self._submitted.task_done()
        process.close()

    def _take(self) -> list[_Submitted]:
        """Wait for an answer; return it with others that wait, none if the session is closed."""
        taken: list[_Submitted] = []
        with suppress(Empty):
            while len(taken) < _ANSWERS_A_MESSAGE:
                each = self._submitted.get(block=not taken)
                if each is None:
                    if taken:
                        self._submitted.put(None)
                    break
                taken.append(each)
        return taken

    def _outcome(
        self, submitted: _Submitted, responses: Iterator[CheckResponse] | None
    ) -> CheckOutcome:
        """Finish a check with the next responses, or with those of this process."""
        planned = submitted.planned
        requests = planned.requests
        try:
            own = islice(responses, len(requests)) if responses else map(check_grounding, requests)
            return self._finish_by_words(planned, own, submitted.at_s)
        except Exception as error:  # noqa: BLE001 - whoever submitted the answer handles it
            return error


class _Process:
    """A process that checks by words, as long as this one lives."""

    def __init__(self) -> None:
        # A fork of a process with threads may copy locks that are never released.
        context = get_context("spawn")
        self._connection, its_end = context.Pipe()
        self._process = context.Process(target=_check_for_parent, args=(its_end,), daemon=True)
        # Signals are for this process, and its end ends the other.
        with closing(its_end), signals_blocked(STOP_SIGNALS):
            self._process.start()
        # Before `multiprocessing` waits for its processes, if the session was not closed.
        atexit.register(self._connection.close)

    def check(self, requests: Sequence[CheckRequest]) -> list[CheckResponse] | None:
        """Return the responses in order; None if there are none."""
        responses: list[CheckResponse] | None = None
        with suppress(OSError, EOFError):
            self._connection.send_bytes(_encode(requests))
            responses = _decode_responses(self._connection.recv_bytes())
        return responses

    def or_another(self) -> "_Process":
        """Return this process, or another one if it has ended and another one can begin."""
        if self._process.is_alive():
            return self
        _log.warning("a process that checks answers ended with %s", self._process.exitcode)
        try:
            another = _Process()
        except OSError:
            return self
        self.close()
        return another

    def close(self) -> None:
        atexit.unregister(self._connection.close)
        self._connection.close()
        self._process.join(_STOP_TIMEOUT_S)


def _check_for_parent(connection: Connection) -> None:
    """Check the requests that the parent sends, until it ends; None replies to all if one fails."""
    with suppress(EOFError, OSError):
        while True:
            received = connection.recv_bytes()
            try:
                reply = _encode(list(map(check_grounding, _decode_requests(received))))
            except Exception:  # noqa: BLE001 - the parent finds it again, and handles it
                reply = _encode(None)
            connection.send_bytes(reply)
