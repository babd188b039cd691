"""An hour's worth of messages as fast as they go, and what a worker takes on the way.

    python -m tests.benchmarks.watch_soak [--messages N] [--slow_s S]

First the checker is slow, 1 to 2 s a check of which 16 are under way at once, so that more comes
than can be checked, and one call in ten fails. Then the embedded checker takes over on the same
output, until all is done; half-way the worker is killed (-9) and another one takes over. By default
360,000 messages, as many as come in an hour at 100 a second. Of ten answers one needs a check, and
all differ; one of a hundred alerts. The cache of replies is small, so that it is soon full. Prints
a line of Markdown every few seconds.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from launch.pubsub.topic import Topic
from pipeline.sinks.topic_messages import TopicMessage, build_message
from tests.benchmarks.slow_checker import slow_checker
from tests.benchmarks.verification import verification
from tests.benchmarks.watched_worker import (
    ANSWERS,
    SUBSCRIPTION,
    SkippingClock,
    WatchedWorker,
    pubsub,
)
from tests.support.archives import an_envelope
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.outputs import summary_in

_BACKLOG = 10_000
_PORTION = 500
_LOOK_EVERY_S = 10.0
_FAULT_SHARE = 0.1
_FLAGS = ("--file_age_s", "30")


def make_messages(count: int) -> Iterator[TopicMessage]:
    """Make messages, of which one in ten needs a check, and one in a hundred alerts."""
    for number in range(count):
        facts = [f"Lamp {number} glows red at night."] if number % 10 == 0 else []
        answer = "Kettles vote in Senegal." if number % 100 == 0 else f"Lamp {number} glows red."
        yield build_message(an_envelope(number, answer=answer, facts=facts), {})


@contextmanager
def published(server: FakePubSub, messages: Iterator[TopicMessage]) -> Iterator[threading.Thread]:
    """Publish beside what is done in a `with` block, no faster than it is read."""
    stopping = threading.Event()

    def run() -> None:
        with closing(Topic(ANSWERS, address=server.address)) as topic:
            while portion := list(islice(messages, _PORTION)):
                while server.counts(SUBSCRIPTION).outstanding > _BACKLOG:
                    if stopping.wait(0.05):
                        return
                topic.publish(portion)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield thread
    finally:
        stopping.set()
        thread.join()


def look(server: FakePubSub, worker: WatchedWorker, started_s: float, checker: str) -> None:
    """Print what the worker takes, and what it holds."""
    counts, footprint = server.counts(SUBSCRIPTION), worker.footprint()
    sys.stdout.write(
        f"| {time.monotonic() - started_s:4.0f} s | {checker} | {counts.acknowledged:,} done |"
        f" {counts.leased:,} held | {footprint.rss_mb:.0f} MB | {footprint.open_files} files |"
        f" {footprint.threads} threads |\n"
    )
    sys.stdout.flush()


def main() -> None:
    """Soak, and look now and then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=360_000)
    parser.add_argument("--slow_s", type=float, default=60.0)
    given = parser.parse_args()
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, pubsub(SkippingClock()) as server:
        output = Path(folder) / "out"
        with published(server, make_messages(given.messages)) as publisher:
            with slow_checker(1.0, 2.0) as checker:
                checker.begin(_FAULT_SHARE)
                slow = ["--checker", checker.address, "--max_in_flight", "16"]
                worker = WatchedWorker(server.address, output, *_FLAGS, *slow)
                while time.monotonic() - started_s < given.slow_s:
                    time.sleep(_LOOK_EVERY_S)
                    look(server, worker, started_s, "slow checker")
                exit_status, drained_s = worker.drain()
                sys.stdout.write(f"| drained in {drained_s:.1f} s, status {exit_status} |\n")
            worker = WatchedWorker(server.address, output, *_FLAGS)
            is_to_be_killed = True
            while publisher.is_alive() or server.counts(SUBSCRIPTION).outstanding:
                time.sleep(_LOOK_EVERY_S)
                look(server, worker, started_s, "embedded checker")
                if (
                    is_to_be_killed
                    and server.counts(SUBSCRIPTION).acknowledged > given.messages / 2
                ):
                    is_to_be_killed = False
                    worker.kill()
                    sys.stdout.write("| killed |\n")
                    worker = WatchedWorker(server.address, output, *_FLAGS)
        exit_status, drained_s = worker.drain()
        summary = summary_in(output)
        verified = verification(output)
    sys.stdout.write(
        f"| drained in {drained_s:.1f} s, status {exit_status} | {summary['read']:,} read |"
        f" {summary['duplicates']:,} duplicates | {verified} |\n"
    )


if __name__ == "__main__":
    main()
