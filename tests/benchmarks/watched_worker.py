"""A worker in a process of its own, the Pub/Sub server it reads from, and what it takes."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import TopicMessage
from tests.support.commands import GROUNDWATCH
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.limits import LIMITED

ANSWERS = "projects/bench/topics/answers"
SUBSCRIPTION = "projects/bench/subscriptions/answers"
ALERTS = "projects/bench/topics/alerts"
ALERT_SUBSCRIPTION = "projects/bench/subscriptions/alerts"
FAILURES = "projects/bench/topics/failures"
FAILURE_SUBSCRIPTION = "projects/bench/subscriptions/failures"
SUBSCRIPTIONS = {
    ANSWERS: SUBSCRIPTION,
    ALERTS: ALERT_SUBSCRIPTION,
    FAILURES: FAILURE_SUBSCRIPTION,
}

_START_WITHIN_S = 60.0
_LOG_BYTES = 10_000_000
_TICKS_A_S = os.sysconf("SC_CLK_TCK")


class SkippingClock:
    """The wall clock, which can skip a while."""

    def __init__(self) -> None:
        self._skipped_s = 0.0

    def __call__(self) -> float:
        return time.time() + self._skipped_s

    def skip(self, seconds: float) -> None:
        """Let so many seconds have passed."""
        self._skipped_s += seconds


@contextmanager
def pubsub(clock: SkippingClock) -> Iterator[FakePubSub]:
    """Serve Pub/Sub with the topics and subscriptions of the benchmarks."""
    with FakePubSub(clock=clock) as server:
        for topic, subscription in SUBSCRIPTIONS.items():
            server.create(topic, subscription)
        yield server


def publish(address: str, messages: Iterable[TopicMessage]) -> None:
    """Publish messages to the topic of answers."""
    with closing(Topic(ANSWERS, address=address)) as topic:
        topic.send(messages)


class WatchedWorker:
    """`groundwatch watch` in a process of its own.

    Args:
      address: of the Pub/Sub server.
      output: the folder.
      flags: further ones.
      limits: smaller ones than users have, such as batch_messages=20.
    """

    def __init__(self, address: str, output: Path, *flags: str, limits: Sequence[str] = ()) -> None:
        self._output = output
        places = ["--subscription", SUBSCRIPTION, "--alert_topic", ALERTS, "--output", str(output)]
        program = (*LIMITED, *limits, "--") if limits else GROUNDWATCH
        command = [sys.executable, *program, "watch", *places, "--pubsub_address", address]
        self._log = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - open as long as the worker
        self.process = subprocess.Popen([*command, *flags], stderr=self._log)  # noqa: S603 - our own source

    def has_started(self) -> bool:
        """Wait for the start line in its log; return whether it came before the process ended."""
        until_s = time.monotonic() + _START_WITHIN_S
        while b"watching " not in self.log():
            if self.process.poll() is not None or time.monotonic() > until_s:
                return False
            time.sleep(0.05)
        return True

    def log(self) -> bytes:
        """Read what it has logged so far."""
        return os.pread(self._log.fileno(), _LOG_BYTES, 0)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def drain(self) -> tuple[int, float]:
        """Let it drain; returns the exit status and the seconds that it took."""
        started_s = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(), time.monotonic() - started_s

    def cpu_s(self) -> float:
        """Read the processor time that it has taken, from Linux' /proc."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = status.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_S
