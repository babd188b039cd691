"""Kill workers again and again while others join and leave; count what is lost or doubled.

    python -m tests.benchmarks.watch_kills [--answers N] [--kills N] [--workers N] [--seed N]
    python -m tests.benchmarks.watch_kills --workers 3 --kills 50 --refused 20 [--vanishing]
    python -m tests.benchmarks.watch_kills --kills 3 --pubsub-emulator

All workers share one subscription and one output folder; each has a work folder of its own. One of
them is killed (-9) after a random while and started again; one in five while it starts. After every
fifth kill another one leaves: it drains, its work folder is removed, and a new worker joins. A
tenth of the answers is published 2 to 5 times; the fake server delivers a tenth of the messages 2
to 5 times besides. For one worker the fake server skips the time until the leases of a killed one
end; for several, whose leases would end as well, and on Google's emulator it is waited for. With
--refused the checker is a server that has four quarters: it answers, refuses that percentage of
the answers, always the same ones, with HTTP 503, fails every second call, and answers again. Every
tenth answer alerts. With --vanishing failures go to a topic, too, and the topics of alerts and
failures are deleted again and again, and created two kills later with new subscriptions. A worker
that cannot start meanwhile is started again when they are back; one that drains keeps its work
folder when rows wait in it (status 3). In the end the files and the topics are read, and
`groundwatch verify` compares ledgers, summaries, manifest and files. One worker must double
nothing, several at most what was delivered to two of them: none may have two rows of a record id.
Prints a line of Markdown.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from google.pubsub_v1 import PublisherClient, SubscriberClient

from groundwatch.launch.cli.terminal.exit_status import LEFT
from groundwatch.launch.engine.pubsub import clients
from groundwatch.pipeline.sinks.topic_messages import TopicMessage, build_message
from groundwatch.transforms.grounding.settings import GoogleAccount
from tests.benchmarks.vanishing_topics import VanishingTopics
from tests.benchmarks.verification import verification
from tests.benchmarks.watched_worker import (
    ALERTS,
    FAILURES,
    SUBSCRIPTIONS,
    SkippingClock,
    WatchedWorker,
    publish,
    pubsub,
)
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer
from tests.support.outputs import rows_of, summary_in
from tests.support.pubsub_servers import GoogleEmulator, find_emulator
from tests.support.wire_faults import Exchange, Fault, good, status

_LEASE_S = 61.0
_SHORTEST_LIFE_S, _LONGEST_LIFE_S = 0.2, 4.0
_WHILE_STARTED = 0.8
_KILLS_PER_LEAVE = 5
_KILLS_PER_VANISHING = 4
_QUIET_S, _LATEST_S = 5.0, 90.0
_QUARTERS = 4
_REFUSES, _FAILS_HALF = 1, 2
_FLAGS = ("--file_age_s", "0.5")
_LIMITS = ("batch_messages=25",)
_BROKEN = "Broken"
"""The first word of an answer that the checker refuses."""


class Server(NamedTuple):
    """A Pub/Sub server.

    Attributes:
      name: what it is.
      address: host:port.
      expire_leases: returns when the messages of the only worker, killed, can come again.
      topics: those that workers publish to.
    """

    name: str
    address: str
    expire_leases: Callable[[], None]
    topics: VanishingTopics


@contextmanager
def fake_server() -> Iterator[Server]:
    """Serve Pub/Sub within this process."""
    clock = SkippingClock()
    with pubsub(clock) as server:
        server.faults.duplicated_share = 0.1
        topics = VanishingTopics(server.address, server)
        yield Server("fake server", server.address, lambda: clock.skip(_LEASE_S), topics)


@contextmanager
def googles_emulator() -> Iterator[Server]:
    """Start Google's emulator."""
    found = find_emulator(None)
    if not found:
        raise SystemExit("Google's emulator is not on this machine")
    with GoogleEmulator(found) as emulator:
        publisher = clients.open_client(PublisherClient, emulator.address, GoogleAccount())
        subscriber = clients.open_client(SubscriberClient, emulator.address, GoogleAccount())
        for topic, name in SUBSCRIPTIONS.items():
            publisher.create_topic(name=topic)
            subscriber.create_subscription(name=name, topic=topic)
        topics = VanishingTopics(emulator.address, None)
        yield Server("Google's emulator", emulator.address, lambda: time.sleep(_LEASE_S), topics)


class PassingChecker:
    """Plan what a checker does in one quarter after the other, for `FaultServer`."""

    def __init__(self) -> None:
        self.quarter = 0

    def plan(self, number: int) -> Fault:
        """Choose what becomes of a call."""

        async def reply(exchange: Exchange) -> bool:
            is_refused = self.quarter == _REFUSES and exchange.asked.startswith(_BROKEN)
            is_lost = self.quarter == _FAILS_HALF and number % 2
            fault = status(503, "UNAVAILABLE") if is_refused or is_lost else good
            return await fault(exchange)

        return reply


def make_messages(chance: random.Random, answers: int, refused: int) -> list[TopicMessage]:
    """Make messages of so many answers, a tenth of them 2 to 5 times, in any order."""
    made = []
    for number in range(answers):
        times = chance.randint(2, 5) if chance.random() < 0.1 else 1
        made += [lamp(number, is_refused=number * 37 % 100 < refused)] * times
    chance.shuffle(made)
    return made


def lamp(number: int, *, is_refused: bool) -> TopicMessage:
    """Make an answer; one in ten is low-grounded."""
    text = f"{_BROKEN if is_refused else 'Lit'} lamp {number} glows at night."
    facts = [text] if number % 10 else ["Kettles stand."]
    return build_message(an_envelope(number, answer=text, facts=facts), {})


def share(messages: Sequence[TopicMessage], part: int, parts: int) -> Sequence[TopicMessage]:
    """Take one of so many equal parts."""
    return messages[part * len(messages) // parts : (part + 1) * len(messages) // parts]


class Workers:
    """Workers on one subscription and one output folder.

    Args:
      server: for Pub/Sub.
      folder: for the output and the work folders.
      count: workers at any time.
      flags: further ones.
    """

    def __init__(self, server: Server, folder: Path, count: int, flags: Sequence[str]) -> None:
        self.output = folder / "out"
        self.left = self.kept = 0
        self._address, self._topics = server.address, server.topics
        self._folder, self._flags = folder, flags
        self._started = 0
        self._running: dict[Path, WatchedWorker] = {}
        for _ in range(count):
            self._join()

    @property
    def work_folders(self) -> list[Path]:
        """Those of the workers at work."""
        return list(self._running)

    def kill(self, chance: random.Random) -> None:
        """Kill a worker after a random while and start it again on its work folder.

        The while begins when the worker has started, for one in five with its process.
        """
        work_folder, worker = self._choose(chance, is_started=chance.random() < _WHILE_STARTED)
        time.sleep(chance.uniform(_SHORTEST_LIFE_S, _LONGEST_LIFE_S))
        worker.kill()
        self._start(work_folder)

    def replace(self, chance: random.Random) -> None:
        """Let a worker drain, remove its work folder, and start a new worker on a new one.

        If rows wait in its work folder, it is kept, and the worker is started again.
        """
        work_folder, worker = self._choose(chance, is_started=True)
        status, _ = worker.drain()
        if status == LEFT and b"wait in" in worker.log():
            self.kept += 1
            self._start(work_folder)
            return
        if status:
            raise SystemExit(f"a worker drained with exit status {status}: {worker.log().decode()}")
        shutil.rmtree(work_folder)
        del self._running[work_folder]
        self.left += 1
        self._join()

    def start_again(self) -> None:
        """Start the workers that have ended since a topic was away."""
        for work_folder, worker in list(self._running.items()):
            if not worker.has_started():
                self._start(work_folder)

    def drain(self) -> list[int]:
        """Let all workers drain; returns their exit statuses."""
        return [worker.drain()[0] for worker in self._running.values()]

    def _choose(self, chance: random.Random, *, is_started: bool) -> tuple[Path, WatchedWorker]:
        """Choose a worker whose process runs, of those that have started or of all.

        If none could start without the topics, they come back.
        """
        workers = list(self._running.items())
        if is_started:
            workers = [each for each in workers if each[1].has_started()]
        running = [each for each in workers if each[1].process.poll() is None]
        if running:
            return chance.choice(running)
        self._topics.come_back()
        self.start_again()
        return self._choose(chance, is_started=is_started)

    def _join(self) -> None:
        self._started += 1
        self._start(self._folder / f"work-{self._started}")

    def _start(self, work_folder: Path) -> None:
        flags = [*self._flags, "--work_folder", str(work_folder)]
        self._running[work_folder] = WatchedWorker(
            self._address, self.output, *flags, limits=_LIMITS
        )


class Rows(NamedTuple):
    """What is in the files: record ids of records and failures, and those that must alert.

    Attributes:
      ids: with how often each is there.
      ids_of_workers: the same, each id with the name of its worker's database.
      alerting: ids of low-grounded records.
    """

    ids: Counter[str]
    ids_of_workers: Counter[tuple[str, str]]
    alerting: set[str]


def rows_in(output: Path) -> Rows:
    """Read all files."""
    ids_of_workers: Counter[tuple[str, str]] = Counter()
    alerting = set()
    for path in [*output.glob("enriched/*/*.avro"), *output.glob("failures/*.jsonl")]:
        _, worker, _ = path.name.rsplit("-", 2)
        for row in rows_of(path):
            ids_of_workers[worker, row["record_id"]] += 1
            if row.get("verdict") == "LOW_GROUNDED":
                alerting.add(row["record_id"])
    ids: Counter[str] = Counter()
    for (_, record_id), count in ids_of_workers.items():
        ids[record_id] += count
    return Rows(ids, ids_of_workers, alerting)


def wait_for_rows(output: Path, topics: VanishingTopics, answers: int) -> None:
    """Wait until every answer is in a file or topic and nothing more comes."""
    rows, answered, since_s = 0, 0, time.monotonic()
    while time.monotonic() < since_s + (_QUIET_S if answered == answers else _LATEST_S):
        topics.read()
        failures = topics.received[FAILURES]
        ids = rows_in(output).ids
        answered = len(ids | failures)
        if ids.total() + failures.total() != rows:
            rows, since_s = ids.total() + failures.total(), time.monotonic()
        time.sleep(1.0)


def main() -> None:
    """Kill, replace, drain, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--refused", type=int, default=0, help="percentage of the answers")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--vanishing", action="store_true")
    parser.add_argument("--pubsub-emulator", action="store_true")
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments, no secrets
    messages = make_messages(chance, given.answers, given.refused)
    serve = googles_emulator if given.pubsub_emulator else fake_server
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(serve())
        flags, checker = list(_FLAGS), PassingChecker()
        if given.refused:
            address = stack.enter_context(FaultServer(checker.plan)).address
            flags += ["--checker", address]
        if given.vanishing:
            flags += ["--failure_topic", FAILURES, "--drain_s", "12"]
        workers = Workers(server, folder, given.workers, flags)
        after_rows = rows_before = 0
        for kill in range(given.kills):
            checker.quarter = _QUARTERS * kill // given.kills
            publish(server.address, share(messages, kill, given.kills))
            if given.vanishing and kill % _KILLS_PER_VANISHING == 1:
                server.topics.vanish()
            workers.kill(chance)
            if given.workers == 1:
                server.expire_leases()
            rows = rows_in(workers.output).ids.total()
            after_rows += rows > rows_before
            rows_before = rows
            if given.workers > 1 and kill % _KILLS_PER_LEAVE == _KILLS_PER_LEAVE - 1:
                workers.replace(chance)
            if kill % _KILLS_PER_VANISHING == 2:
                server.topics.come_back()
                workers.start_again()
        server.topics.come_back()
        workers.start_again()
        wait_for_rows(workers.output, server.topics, given.answers)
        exit_statuses = workers.drain()
        server.topics.read()
        alerts, failures = (server.topics.received[name] for name in (ALERTS, FAILURES))
        ids, ids_of_workers, alerting = rows_in(workers.output)
        summary = summary_in(workers.output)
        verified = verification(workers.output, workers.work_folders)
    sys.stdout.write(
        f"| {server.name} | {given.workers} workers, {workers.left} left and joined,"
        f" {workers.kept} kept | {server.topics.vanished} times without topics |"
        f" {given.kills} kills, {after_rows} after new rows | {given.refused} % refused |"
        f" {given.answers:,} answers in {len(messages):,} messages,"
        f" {summary['read']:,} deliveries | {summary['enriched']:,} enriched,"
        f" {summary['failures']:,} failures, {summary['duplicates']:,} duplicates |"
        f" {given.answers - len(ids | failures)} lost | {ids.total() - len(ids)} doubled,"
        f" {ids_of_workers.total() - len(ids_of_workers)} by one worker |"
        f" {len(alerting - set(alerts))} alerts lost, {alerts.total() - len(alerts)} twice |"
        f" {failures.total() - len(failures)} failures twice |"
        f" statuses {exit_statuses} | {verified} |\n"
    )


if __name__ == "__main__":
    main()
