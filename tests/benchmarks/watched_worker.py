"""A worker in a process of its own, the Pub/Sub server it reads from, and what it takes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import TopicMessage
from tests.support.commands import GROUNDWATCH
from tests.support.fake_pubsub.server import FakePubSub

ANSWERS = "projects/bench/topics/answers"
SUBSCRIPTION = "projects/bench/subscriptions/answers"
ALERTS = "projects/bench/topics/alerts"
ALERT_SUBSCRIPTION = "projects/bench/subscriptions/alerts"
SUBSCRIPTIONS = {ANSWERS: SUBSCRIPTION, ALERTS: ALERT_SUBSCRIPTION}

_TICKS_A_S = os.sysconf("SC_CLK_TCK")


@contextmanager
def pubsub() -> Iterator[FakePubSub]:
    """Serve Pub/Sub with the topics and subscriptions of the benchmarks."""
    with FakePubSub() as server:
        for topic, subscription in SUBSCRIPTIONS.items():
            server.create(topic, subscription)
        yield server


def publish(address: str, messages: Iterable[TopicMessage]) -> None:
    """Publish messages to the topic of answers."""
    with closing(Topic(ANSWERS, address=address)) as topic:
        topic.send(messages)


class WatchedWorker:
    """`groundwatch watch` by words alone, in a process of its own.

    Args:
      address: of the Pub/Sub server.
      output: the folder.
      flags: further ones.
    """

    def __init__(self, address: str, output: Path, *flags: str) -> None:
        places = ["--subscription", SUBSCRIPTION, "--alert_topic", ALERTS, "--output", str(output)]
        program = [sys.executable, *GROUNDWATCH, "watch", *places, "--pubsub_address", address]
        program += ["--scorer", "none"]
        self._process = subprocess.Popen([*program, *flags], stderr=subprocess.DEVNULL)  # noqa: S603 - our own source

    def drain(self) -> tuple[int, float]:
        """Let it drain; returns the exit status and the seconds that it took."""
        started_s = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(), time.monotonic() - started_s

    def cpu_s(self) -> float:
        """Read the processor time that it has taken, from Linux' /proc."""
        status = Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = status.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_S
