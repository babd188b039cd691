"""A worker that dies between any two of its steps, and the next one on the same output."""

import itertools
import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.local_pipeline import LocalPipeline
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch import open_worker as open_worker_module
from groundwatch.launch.watch.open_worker import open_worker
from groundwatch.launch.watch.reporter import LogReporter
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.definition import build
from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from groundwatch.transforms.persistence.seen_ids import SeenIds
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.fault_server import Changing, FaultServer, by_answer
from tests.support.journals import open_journal
from tests.support.outputs import alerts_in, failures_in, records_in
from tests.support.watched import total
from tests.support.wire_faults import UNAVAILABLE, good

LEFT = "Lamps are left alone."
MESSAGES = (
    an_envelope(0),
    an_envelope(1, answer=LEFT),
    an_unsupported_envelope(2, time="2026-03-05T08:00:00Z"),
    b"no answer",
    an_envelope(0),
    an_envelope(1, answer=LEFT),
)


class AtHand:
    """A subscription in memory: what is not acknowledged comes again to the next worker."""

    def __init__(self) -> None:
        self._unacknowledged = {
            str(number): Message(payload=payload, place=str(number))
            for number, payload in enumerate(MESSAGES)
        }
        self.deliver_again()

    def deliver_again(self) -> None:
        self._waiting = deque(self._unacknowledged.values())

    @property
    def is_empty(self) -> bool:
        return not self._unacknowledged

    def pull(self, *_: object) -> list[Message]:
        pulled = list(self._waiting)
        self._waiting.clear()
        return pulled

    def acknowledge(self, places: Iterable[str]) -> None:
        for place in places:
            del self._unacknowledged[place]

    def stats(self) -> SubscriptionStats:
        return SubscriptionStats()

    def close(self, _: float) -> None:
        """There is nothing to close."""


@pytest.fixture(scope="module")
def alone() -> Changing:
    """A checker that is away for one answer, until the test ends that."""
    return Changing(UNAVAILABLE["503"])


@pytest.fixture(scope="module")
def config(alone: Changing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Config]:
    """Settings with a checker that may be away, and an output that all moments share."""
    output = tmp_path_factory.mktemp("crashes") / "out"
    with FaultServer(by_answer({LEFT: alone})) as checker:
        yield Config(
            inputs=(),
            output=str(output),
            run="r1",
            work_folder=f"{output}/.work",
            check=CheckSettings(
                checker=checker.address,
                endpoint=checker.address,
                retries=RetrySettings(timeout_s=2.0, total_s=0.01, give_up_after_s=1e9),
                outage=OutagePolicy.HOLD,
            ),
        )


@pytest.fixture(scope="module")
def pipeline(config: Config) -> LocalPipeline:
    return LocalPipeline(config)


class Crash(BaseException):
    """The end of the process, at a moment of the test's choosing."""


class Death:
    """Lets the process die just before its nth touch of the world."""

    def __init__(self, patch: pytest.MonkeyPatch, moment: int) -> None:
        self._touches = itertools.count()
        self._moment = moment
        self.has_struck = False
        for owner, name in (
            (SeenIds, "start_batch"),
            (Journal, "commit"),
            (EngineDatabase, "checkpoint"),
            (AtHand, "acknowledge"),
            (EngineDatabase, "checkpoint"),
            (Publisher, "_begin_file"),
            (Publisher, "_write_file"),
            (storage, "publish_new"),
            (Publisher, "_record_placed"),
            (Publisher, "_list_placed"),
            (storage, "write_whole"),
        ):
            patch.setattr(owner, name, self._dying(getattr(owner, name)))

    def _dying(self, deed: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*given: Any, **named: Any) -> Any:
            self.has_struck |= next(self._touches) == self._moment
            if self.has_struck:
                raise Crash
            return deed(*given, **named)

        return touch


def work_through(config: Config, subscription: AtHand, *, steps: int) -> None:
    """Run a worker until all is acknowledged, or for so many steps."""
    settings = build(WatchSettings, {"subscription": "projects/lamps/subscriptions/answers"})
    with (
        closing(open_journal(config.work_folder, topics=())) as journal,
        open_worker(
            config,
            settings,
            journal,
            subscription=subscription,
            reporter=LogReporter(),
        ) as worker,
    ):
        for _ in range(steps):
            worker.step()
            if subscription.is_empty:
                break
        worker.finish()


def test_whenever_a_worker_dies_the_next_loses_nothing_and_doubles_nothing(
    config: Config, pipeline: LocalPipeline, alone: Changing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_worker_module, "LocalPipeline", lambda *_: pipeline)
    for moment in itertools.count():
        shutil.rmtree(config.output, ignore_errors=True)
        subscription = AtHand()
        alone.reply = UNAVAILABLE["503"]
        with monkeypatch.context() as patch:
            death = Death(patch, moment)
            with suppress(Crash):
                work_through(config, subscription, steps=1)
        alone.reply = good
        subscription.deliver_again()
        work_through(config, subscription, steps=3)
        assert subscription.is_empty
        names = Counter(record["record_id"] for record in records_in(Path(config.output)))
        assert sorted(names.values()) == [1, 1, 1]
        assert len(alerts_in(Path(config.output))) == 2
        assert len(failures_in(Path(config.output))) == 1
        with closing(open_journal(config.work_folder)) as journal:
            sums = total(journal.ledger())
        assert (sums["enriched"], sums["failures"], sums["gap"]) == (3, 1, 0)
        assert sums["duplicates"] == sums["read"] - 4
        if not death.has_struck:
            break
    assert moment > 15
