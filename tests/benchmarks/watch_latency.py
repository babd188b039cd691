"""How long it takes from an answer's publication to its alert, at a steady rate.

Answers of 3 KB with three facts, checked by words alone; every fifth makes something up, and its
alert is waited for. Publisher, server and the alerts' reader are threads of the benchmark's own
process. `watch_throughput` prints what is found.
"""

import json
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import build_message
from groundwatch.schemas.message import Message
from tests.benchmarks.generated_answers import generated_messages
from tests.benchmarks.watched_worker import (
    ALERT_SUBSCRIPTION,
    ANSWERS,
    SUBSCRIPTION,
    WatchedWorker,
    pubsub,
)
from tests.support.answer_messages import parse_answer

_EVERY = 5
_MADE_UP = " Kettles vote in the parliament of Senegal on Sundays."
_LATEST_S = 60.0


def answers(count: int) -> list[bytes]:
    """Make answers, every fifth with a sentence that no fact supports."""
    made = []
    for number, message in enumerate(generated_messages(count)):
        envelope = json.loads(message)
        if number % _EVERY == 0:
            envelope["answer"] += _MADE_UP
        made.append(json.dumps(envelope).encode())
    return made


def record_id(payload: bytes) -> str:
    """Name an answer as its alert does."""
    return parse_answer(Message(payload=payload, place="")).record_id


class Alerts:
    """Notes when each alert comes."""

    def __init__(self, address: str) -> None:
        self.came_s: dict[str, float] = {}
        self._address = address
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stopping.set()
        self._thread.join()

    def _read(self) -> None:
        with closing(PubSubSubscription(ALERT_SUBSCRIPTION, address=self._address)) as alerts:
            while not self._stopping.is_set():
                messages = alerts.pull(1_000, 100_000_000, 0.1)
                now_s = time.monotonic()
                for message in messages:
                    # An alert about a rate has no record.
                    if name := message.attributes.get("record_id"):
                        self.came_s.setdefault(name, now_s)
                alerts.acknowledge(message.place for message in messages)


def publish(topic: Topic, payloads: Sequence[bytes], per_s: int) -> list[float]:
    """Publish answers evenly; says when each left, in seconds of the monotonic clock."""
    published_s: list[float] = []
    started_s = time.monotonic()
    for number, payload in enumerate(payloads):
        time.sleep(max(0.0, started_s + number / per_s - time.monotonic()))
        published_s.append(time.monotonic())
        topic.send([build_message(payload, {})])
    return published_s


def measure(payloads: Sequence[bytes], per_s: int) -> tuple[list[float], str]:
    """Publish answers to a worker of its own.

    Args:
      payloads: the first is worked off before the others leave, so that the worker has started.
      per_s: how many leave in a second.

    Returns:
      Seconds from an answer's publication to its alert, for each alert that came; and what else
      is to be result of the worker.
    """
    first, *others = payloads
    awaited = {
        record_id(payload): number
        for number, payload in enumerate(others)
        if (number + 1) % _EVERY == 0
    }
    with tempfile.TemporaryDirectory() as folder, pubsub() as server:
        alerts = Alerts(server.address)
        worker = WatchedWorker(server.address, Path(folder) / "out")
        with closing(Topic(ANSWERS, address=server.address)) as topic:
            topic.send([build_message(first, {})])
            while server.counts(SUBSCRIPTION).outstanding:
                time.sleep(0.01)
            cpu_s, started_s = worker.cpu_s(), time.monotonic()
            published_s = publish(topic, others, per_s)
        until_s = published_s[-1] + _LATEST_S
        while not awaited.keys() <= alerts.came_s.keys() and time.monotonic() < until_s:
            time.sleep(0.05)
        share = (worker.cpu_s() - cpu_s) / (time.monotonic() - started_s)
        exit_status, drained_s = worker.drain()
        alerts.stop()
    came_s = {name: alerts.came_s[name] for name in awaited if name in alerts.came_s}
    latencies_s = [came_s[name] - published_s[awaited[name]] for name in came_s]
    result = f"{share:.0%} of a core | drained in {drained_s:.1f} s, status {exit_status}"
    return latencies_s, f"{len(latencies_s)} of {len(awaited)} alerts | {result}"
