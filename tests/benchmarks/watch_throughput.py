"""How many messages a second a worker processes, and how soon its alerts come.

    python -m tests.benchmarks.watch_throughput [--messages N] [--workers N] [--per_s N]

Two backlogs, one after the other: answers of 3 KB with three facts, checked by words alone, and
answers without facts, which need no check. The server runs in the benchmark's own process. The rate
is that of the middle eight tenths; beside it is the processor time a message, which other
work on the machine changes less. Then the latency of `watch_latency`. Prints a line of Markdown for
each.
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from groundwatch.pipeline.sinks.topic_messages import build_message
from tests.benchmarks import watch_latency
from tests.benchmarks.generated_answers import generated_messages
from tests.benchmarks.watched_worker import SUBSCRIPTION, WatchedWorker, publish, pubsub
from tests.support.fake_pubsub.server import FakePubSub

_LOOK_EVERY_S = 0.05


def unchecked(count: int) -> Iterable[bytes]:
    """Generate answers without anything to check."""
    for number in range(count):
        answer = {"id": f"unchecked-{number}", "answer": "The lamp glows.", "engine": "shop"}
        yield json.dumps(answer).encode()


def measure(
    server: FakePubSub, output: Path, messages: Iterable[bytes], workers: int
) -> tuple[float, float]:
    """Let workers process messages; return their rate, and that of their processor time."""
    before = server.counts(SUBSCRIPTION).acknowledged
    publish(server.address, (build_message(message, {}) for message in messages))
    count = server.counts(SUBSCRIPTION).outstanding
    folders = (f"{output}-work-{number}" for number in range(workers))
    started = [WatchedWorker(server.address, output, "--work_folder", folder) for folder in folders]
    seen: list[tuple[int, float, float]] = []
    while not seen or seen[-1][0] < count:
        time.sleep(_LOOK_EVERY_S)
        done = server.counts(SUBSCRIPTION).acknowledged - before
        cpu_s = sum(worker.cpu_s() for worker in started)
        seen.append((done, time.monotonic(), cpu_s))
    for worker in started:
        worker.drain()
    first = next(look for look in seen if look[0] >= count / 10)
    last = next(look for look in seen if look[0] >= count * 9 / 10)
    done, wall_s, cpu_s = (after - before for before, after in zip(first, last, strict=True))
    return done / wall_s, done / cpu_s


def main() -> None:
    """Measure both rates, and the latency of alerts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--per_s", type=int, default=100, help="answers a second, for the latency")
    parser.add_argument("--seconds", type=int, default=30, help="how long to publish at that rate")
    parser.add_argument("--workers", type=int, default=1, help="on one subscription and output")
    given = parser.parse_args()
    count = given.messages
    backlogs = {
        "words alone": (itertools.islice(generated_messages(count), count), 1_000),
        "nothing to check": (unchecked(count), 2_000),
    }
    for name, (messages, goal) in backlogs.items():
        with tempfile.TemporaryDirectory() as folder, pubsub() as server:
            rate, cpu_rate = measure(server, Path(folder) / "out", messages, given.workers)
        sys.stdout.write(
            f"| {name} | {rate:,.0f} messages/s (goal {goal:,}) |"
            f" {1e6 / cpu_rate:,.0f} us of processor time a message, {cpu_rate:,.0f} a second |\n"
        )
        sys.stdout.flush()
    answers = watch_latency.answers(given.per_s * given.seconds + 1)
    latencies_s, result = watch_latency.measure(answers, given.per_s)
    cuts_s = statistics.quantiles(latencies_s, n=100)
    sys.stdout.write(
        f"| publish to alert at {given.per_s}/s | p50 {cuts_s[49]:.2f} s (goal 1.00),"
        f" p95 {cuts_s[94]:.2f} s | {result} |\n"
    )


if __name__ == "__main__":
    main()
