"""How many messages a second one worker gets through.

    python -m tests.benchmarks.watch_throughput [--messages N]

Two backlogs, worked off one after the other: answers that need no check (they have no facts), and
answers of 3 KB with three facts for the embedded checker. The server runs in the benchmark's own
process. The rate is that of the middle eight tenths; beside it stands how many messages a second of
the worker's processor time is worth, which other work on the machine does not change. Prints a
line of Markdown for each.
"""

import argparse
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.generated_answers import generated_messages
from tests.benchmarks.watched_worker import (
    SUBSCRIPTION,
    SkippingClock,
    WatchedWorker,
    publish,
    pubsub,
)
from tests.support.fake_pubsub.server import FakePubSub
from transforms.rules.topic_messages import build_message

_LOOK_EVERY_S = 0.05


def unchecked(count: int) -> Iterable[bytes]:
    """Generate answers without anything to check."""
    for number in range(count):
        answer = {"id": f"unchecked-{number}", "answer": "The lamp glows.", "engine": "shop"}
        yield json.dumps(answer).encode()


def measure(server: FakePubSub, output: Path, messages: Iterable[bytes]) -> tuple[float, float]:
    """Let a worker work off messages; returns the rate, and that of its processor time."""
    before = server.counts(SUBSCRIPTION).acknowledged
    publish(server.address, (build_message(message, {}) for message in messages))
    count = server.counts(SUBSCRIPTION).outstanding
    worker = WatchedWorker(server.address, output)
    seen: list[tuple[int, float, float]] = []
    while not seen or seen[-1][0] < count:
        time.sleep(_LOOK_EVERY_S)
        done = server.counts(SUBSCRIPTION).acknowledged - before
        seen.append((done, time.monotonic(), worker.footprint().cpu_s))
    worker.drain()
    first = next(look for look in seen if look[0] >= count / 10)
    last = next(look for look in seen if look[0] >= count * 9 / 10)
    done, wall_s, cpu_s = (after - before for before, after in zip(first, last, strict=True))
    return done / wall_s, done / cpu_s


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=30_000)
    count = parser.parse_args().messages
    backlogs = {
        "nothing to check": (unchecked(count), 2_000),
        "embedded checker": (itertools.islice(generated_messages(count), count), 500),
    }
    for name, (messages, bar) in backlogs.items():
        with tempfile.TemporaryDirectory() as folder, pubsub(SkippingClock()) as server:
            rate, cpu_rate = measure(server, Path(folder) / "out", messages)
        sys.stdout.write(
            f"| {name} | {count:,} messages | {rate:,.0f}/s | {cpu_rate:,.0f} a second of processor"
            f" time | bar {bar:,}/s |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
