"""A worker that is killed again and again, and what of its messages was lost or doubled.

    python -m tests.benchmarks.watch_kills [--messages N] [--kills N] [--seed N]
    python -m tests.benchmarks.watch_kills --kills 3 --pubsub-emulator

A tenth of the answers is published 2 to 5 times; on groundwatch's own server a tenth of the
messages is delivered 2 to 5 times besides, and the time until the leases of a killed worker end is
skipped. On Google's emulator it is waited for, a minute a kill. A share of the messages is
published before each life, which lasts a random while from the start of the process; every tenth
answer alerts. Prints a line of Markdown.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from launch.pubsub import clients
from launch.pubsub.subscription import Subscription
from tests.benchmarks.watched_worker import (
    ALERT_SUBSCRIPTION,
    ALERTS,
    ANSWERS,
    SUBSCRIPTION,
    SkippingClock,
    WatchedWorker,
    ledger_in,
    publish,
    pubsub,
)
from tests.support.archives import an_envelope
from tests.support.outputs import records_in, summary_in
from tests.support.pubsub_servers import GoogleEmulator, find_emulator
from transforms.grounding.settings import GoogleAccount
from transforms.rules.topic_messages import TopicMessage, build_message

_LEASE_S = 61.0
_SHORTEST_LIFE_S, _LONGEST_LIFE_S = 1.5, 4.0
_QUIET_S, _LATEST_S = 5.0, 400.0
_FLAGS = ("--batch_messages", "25", "--file_age_s", "0.5")


class Server(NamedTuple):
    """A server of Pub/Sub.

    Attributes:
      name: what it is.
      address: where it listens.
      let_leases_end: returns when a killed worker's messages can come again.
    """

    name: str
    address: str
    let_leases_end: Callable[[], None]


@contextmanager
def own_server() -> Iterator[Server]:
    """Serve Pub/Sub within this process."""
    clock = SkippingClock()
    with pubsub(clock) as server:
        server.faults.duplicated_share = 0.1
        yield Server("groundwatch's server", server.address, lambda: clock.skip(_LEASE_S))


@contextmanager
def googles_emulator() -> Iterator[Server]:
    """Start Google's emulator."""
    found = find_emulator(None)
    if not found:
        raise SystemExit("Google's emulator is not on this machine")
    with GoogleEmulator(found) as emulator:
        publisher = clients.open_publisher(emulator.address, GoogleAccount())
        subscriber = clients.open_subscriber(emulator.address, GoogleAccount())
        for topic, name in ((ANSWERS, SUBSCRIPTION), (ALERTS, ALERT_SUBSCRIPTION)):
            publisher.create_topic(name=topic)
            subscriber.create_subscription(name=name, topic=topic)
        yield Server("Google's emulator", emulator.address, lambda: time.sleep(_LEASE_S))


def make_messages(chance: random.Random, answers: int) -> list[TopicMessage]:
    """Make messages of so many answers, a tenth of them 2 to 5 times, in any order."""
    made = []
    for number in range(answers):
        text = "Kettles vote in Senegal." if number % 10 == 0 else "Lamps glow red at night."
        times = chance.randint(2, 5) if chance.random() < 0.1 else 1
        made += [build_message(an_envelope(number, answer=text), {})] * times
    chance.shuffle(made)
    return made


def share(messages: Sequence[TopicMessage], part: int, parts: int) -> Sequence[TopicMessage]:
    """One of so many equal parts."""
    return messages[part * len(messages) // parts : (part + 1) * len(messages) // parts]


def read_by(output: Path) -> int:
    """How many deliveries were settled so far."""
    started = list(output.glob(".groundwatch-*/journal.sqlite"))
    return sum(account.read for account in ledger_in(output)) if started else 0


def live_and_die(server: Server, output: Path, life_s: float) -> bool:
    """Run a worker for a while and kill it; tells whether it finished a batch."""
    before = read_by(output)
    worker = WatchedWorker(server.address, output, *_FLAGS)
    time.sleep(life_s)
    worker.kill()
    server.let_leases_end()
    return read_by(output) > before


def live_and_drain(server: Server, output: Path, answers: int) -> tuple[int, float]:
    """Run a worker until nothing more comes, and drain it; returns its status and seconds."""
    worker = WatchedWorker(server.address, output, *_FLAGS)
    read, since_s = 0, time.monotonic()
    while time.monotonic() < since_s + (_QUIET_S if len(ids_in(output)) == answers else _LATEST_S):
        if (now := read_by(output)) != read:
            read, since_s = now, time.monotonic()
        time.sleep(0.5)
    return worker.drain()


def ids_in(output: Path) -> Counter[str]:
    """Count the public records, by record id."""
    return Counter(record["record_id"] for record in records_in(output))


def alerts_on(server: Server) -> Counter[str]:
    """Count the alerts that were published, by record id."""
    found: Counter[str] = Counter()
    with closing(Subscription.open(ALERT_SUBSCRIPTION, address=server.address)) as subscription:
        while messages := subscription.pull(1_000, 100_000_000, 2.0):
            found.update(message.attributes["record_id"] for message in messages)
            subscription.acknowledge(message.place for message in messages)
    return found


def main() -> None:
    """Kill, drain, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000, help="answers, in fact")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--pubsub-emulator", action="store_true")
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments, no secrets
    messages = make_messages(chance, given.messages)
    serve = googles_emulator if given.pubsub_emulator else own_server
    with tempfile.TemporaryDirectory() as folder, serve() as server:
        output = Path(folder) / "out"
        fruitful = 0
        for kill in range(given.kills):
            publish(server.address, share(messages, kill, given.kills))
            life_s = chance.uniform(_SHORTEST_LIFE_S, _LONGEST_LIFE_S)
            fruitful += live_and_die(server, output, life_s)
        exit_status, drained_s = live_and_drain(server, output, given.messages)
        alerts = alerts_on(server)
        rows = ids_in(output)
        summary = summary_in(output)
    sys.stdout.write(
        f"| {server.name} | {given.kills} kills, {fruitful} after a batch | {given.messages:,}"
        f" answers in {len(messages):,} messages, {summary['read']:,} deliveries |"
        f" {given.messages - len(rows)} lost | {rows.total() - len(rows)} doubled |"
        f" {summary['duplicates']:,} duplicates counted, closes: {summary['closes']} |"
        f" {given.messages // 10 - len(alerts)} alerts lost, {alerts.total() - len(alerts)} twice |"
        f" drained in {drained_s:.1f} s, status {exit_status} |\n"
    )


if __name__ == "__main__":
    main()
