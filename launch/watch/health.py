"""Whether the worker is well, and if not, what ails it."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from launch.pubsub.subscription import Standing
from launch.watch.heartbeat import Heartbeat
from launch.watch.status_server import Page
from schemas.record import Record

_HTTP_OK, _HTTP_UNAVAILABLE = 200, 503
_KEPT_S = 1.0
_PROBE = bytes(4096)


class HealthRule(Record, frozen=True, kw_only=True):
    """When the worker is unwell.

    Attributes:
      stalled_after_s: without pulling, or without a message that came to its end although some
        wait. A batch may take as long as its checks are tried, and publishing as long as that is.
    """

    stalled_after_s: float = 300.0


class Vitals(Record, frozen=True, kw_only=True):
    """The worker at a moment.

    Attributes:
      since_round_s: since its loop came round to pull.
      since_progress_s: for how long messages have been waiting of which none came to its end.
      held: messages that it holds and has not settled.
      pubsub_answers: whether Pub/Sub answers.
      disk_problem: why a folder of this machine cannot be written; None if all can.
    """

    since_round_s: float
    since_progress_s: float
    held: int
    pubsub_answers: bool
    disk_problem: str | None = None


class Ailment(Record, frozen=True):
    """One reason for which the worker is unwell.

    Attributes:
      reason: a stable name.
      message: a sentence for a person.
    """

    reason: str
    message: str


def ailments_of(vitals: Vitals, rule: HealthRule) -> Iterator[Ailment]:
    """Say what ails the worker; nothing if it is well.

    Args:
      vitals: the worker as it is.
      rule: when it is unwell.
    """
    if vitals.since_round_s > rule.stalled_after_s:
        since_s = f"{vitals.since_round_s:.0f} s"
        yield Ailment("not_pulling", f"no message was asked for since {since_s}")
    if vitals.held and vitals.since_progress_s > rule.stalled_after_s:
        since_s = f"{vitals.since_progress_s:.0f} s"
        told = f"{vitals.held} messages are held, and none came to its end since {since_s}"
        yield Ailment("no_progress", told)
    if vitals.disk_problem:
        yield Ailment("disk_not_writable", vitals.disk_problem)
    if not vitals.pubsub_answers:
        yield Ailment("pubsub_does_not_answer", "Pub/Sub does not answer; it is tried again")


def disk_problem(folder: str) -> str | None:
    """Try to write to a folder; says why that fails, None if it does not."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as stream:
            stream.write(_PROBE)
            os.fsync(stream.fileno())
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror or type(error).__name__}"
    return None


class Health:
    """Asks how the worker is, at most once a second however many want to know.

    Args:
      heartbeat: of its loop.
      standing: how its subscription fares.
      folders: those of this machine that it must be able to write to.
      rule: when it is unwell.
      clock: seconds, never set back.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        standing: Callable[[], Standing],
        folders: Iterable[str],
        rule: HealthRule = HealthRule(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._heartbeat = heartbeat
        self._standing = standing
        self._folders = tuple(folders)
        self._rule = rule
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[Ailment, ...] = ()
        self._known_until_s = clock()

    def ailments(self) -> tuple[Ailment, ...]:
        """What ails the worker; empty if it is well."""
        with self._lock:
            if self._clock() >= self._known_until_s:
                self._known = tuple(ailments_of(self._vitals(), self._rule))
                self._known_until_s = self._clock() + _KEPT_S
            return self._known

    def page(self) -> Page:
        """Answer ``/healthz``: 200 and ``ok``, or 503 and the reasons as JSON."""
        ailments = self.ailments()
        if not ailments:
            return Page(_HTTP_OK, "text/plain; charset=utf-8", b"ok\n")
        body = msgspec.json.encode({"status": "unwell", "reasons": ailments})
        return Page(_HTTP_UNAVAILABLE, "application/json", body + b"\n")

    def _vitals(self) -> Vitals:
        standing = self._standing()
        problems = filter(None, map(disk_problem, self._folders))
        return Vitals(
            since_round_s=self._heartbeat.since_round_s,
            since_progress_s=self._heartbeat.since_progress_s,
            held=standing.holding.waiting + standing.holding.in_work,
            pubsub_answers=standing.answers,
            disk_problem=next(problems, None),
        )
