"""A subscription that is watched: what is published to it, and workers in this process."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.cli.json_log import keep_beam_quiet
from groundwatch.launch.engine.journal import LedgerHour
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from groundwatch.launch.watch.open_worker import open_journal as worker_journal
from groundwatch.launch.watch.open_worker import open_worker
from groundwatch.launch.watch.reporter import LogReporter
from groundwatch.launch.watch.worker import Worker, WorkerLimits
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.definition import build
from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from groundwatch.transforms.persistence.database import Database
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.journals import read_journal
from tests.support.outputs import Json, distinct_ids_in, record_ids_in
from tests.support.waiting import wait_until

ANSWERS = "projects/lamps/topics/answers"
SUBSCRIPTION = "projects/lamps/subscriptions/answers"
ALERTS = "projects/lamps/topics/alerts"
FAILURES = "projects/lamps/topics/failures"
ENRICHED = "projects/lamps/topics/enriched"


class Watched:
    """One subscription with topics for alerts and failures, and the output of its worker.

    Args:
      server: where they are made.
      folder: for the output.
    """

    def __init__(self, server: FakePubSub, folder: Path) -> None:
        self.server = server
        self.output = folder / "out"
        self.work_folder = f"{self.output}/.work"
        for topic in (ANSWERS, ALERTS, FAILURES):
            server.create(topic, topic.replace("topics", "subscriptions"))

    def publish(self, *payloads: bytes, **attributes: str) -> None:
        """Publish messages."""
        self.server.publish(ANSWERS, payloads, **attributes)

    @property
    def outstanding(self) -> int:
        """How many messages are not acknowledged."""
        return self.server.counts(SUBSCRIPTION).outstanding

    def config(self, **check: Any) -> Config:
        """The main job's settings; checks are given up soon."""
        retries = RetrySettings(timeout_s=2.0)
        settings = {"retries": retries, "outage": OutagePolicy.HOLD, **check}
        return Config(
            inputs=(),
            output=str(self.output),
            run="r1",
            work_folder=self.work_folder,
            check=CheckSettings(**settings),
        )

    @contextmanager
    def other_work_folder(self, name: str) -> Iterator[None]:
        """Let workers keep their state elsewhere for a while, as on another machine."""
        before, self.work_folder = self.work_folder, str(self.output.parent / name)
        try:
            yield
        finally:
            self.work_folder = before

    @contextmanager
    def worker(
        self,
        config: Config | None = None,
        *,
        limits: WorkerLimits = WorkerLimits(),  # noqa: B008 - it is frozen
        **settings: Any,
    ) -> Iterator[Worker]:
        """Run a worker as `watch` does, but step by step."""
        keep_beam_quiet()
        given = {"subscription": SUBSCRIPTION, "pubsub_address": self.server.address}
        watch_settings = build(WatchSettings, given | settings)
        given_config = config or self.config()
        streams = self.server.streams
        with closing(worker_journal(given_config, watch_settings)) as journal:
            journal.database.assign_run(given_config.run)
            with (
                open_worker(
                    given_config, watch_settings, journal, reporter=LogReporter(), limits=limits
                ) as worker,
                # An acknowledgement comes a moment after its batch: no step waits long for more.
                patch("groundwatch.launch.watch.worker._WAIT_S", 0.05),
                patch("groundwatch.launch.watch.worker._BETWEEN_SMALL_BATCHES_S", 0.05),
            ):
                yield worker
        # A message that is published now does not go to the worker that has ended.
        wait_until(lambda: self.server.streams <= streams)

    def end_leases(self, clock: ManualClock) -> None:
        """Deliver again what a worker held that has ended: no server writes to its stream still."""
        self.server.kill_connections()
        clock.advance(61)

    def drain(self, config: Config | None = None, **settings: Any) -> None:
        """Run a worker until all messages are acknowledged, and let it finish."""
        with self.worker(config, **settings) as worker:
            work(worker, lambda: not self.outstanding)
            worker.finish()

    def record_ids(self) -> list[str]:
        """The record ids that are public, in order."""
        return record_ids_in(self.output)

    def distinct_ids(self) -> set[str]:
        """The same, each of which is there once."""
        return distinct_ids_in(self.output)

    def ledger(self) -> list[LedgerHour]:
        """The accounts of all hours."""
        return ledger_of(self.work_folder)

    def published(self, topic: str) -> list[Json]:
        """All that was published to a topic, as JSON; what was seen once is not seen again."""
        return [msgspec.json.decode(message.payload) for message in self.messages(topic)]

    def messages(self, topic: str) -> list[Message]:
        """All messages of a topic, as of `published`."""
        name = topic.replace("topics", "subscriptions")
        found: list[Message] = []
        with closing(PubSubSubscription(name, address=self.server.address)) as subscription:
            while messages := subscription.pull(1_000, 100_000_000, 0.3):
                found += messages
                subscription.acknowledge(message.place for message in messages)
        return found


def ledger_of(work_folder: object) -> list[LedgerHour]:
    """The accounts of all hours of one worker; none before it has begun."""
    path = Path(str(work_folder), DATABASE)
    if not path.exists():
        return []
    with closing(Database(str(path), None, durable=False)) as database:
        # The file is there a moment before its tables are.
        if not list(database.read("SELECT 1 FROM sqlite_master WHERE name = 'rates'")):
            return []
    with closing(read_journal(work_folder)) as journal:
        return journal.ledger()


def work(worker: Worker, until: Callable[[], object], within_s: float = 60.0) -> None:
    """Let a worker take step after step until a condition holds; fails when it does not in time."""
    deadline_s = time.monotonic() + within_s
    while not until():
        assert time.monotonic() < deadline_s, f"still not so after {within_s} s"
        worker.step()


def total(accounts: list[LedgerHour]) -> dict[str, int]:
    """The sums over all hours."""
    names = ("read", "enriched", "failures", "duplicates", "sampled_out", "gap")
    return {name: sum(getattr(account, name) for account in accounts) for name in names}
