"""Watch the bundled sample, without a cloud."""

import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.work_folder import WorkFolder
from launch.pubsub.outstanding import SubscriptionStats
from launch.samples import sample_paths
from launch.watch.reporter import TerminalReporter
from launch.watch.run_worker import run_worker
from pipeline import storage
from pipeline.settings.commands import WatchSettings
from pipeline.settings.config import Config
from pipeline.settings.definition import build
from schemas.message import Message
from schemas.quantities import SECOND_US
from schemas.summary import Summary

_PER_S = 20
_SUBSCRIPTION = "projects/demo/subscriptions/answers"


class SampleSubscription:
    """Deliver messages from memory at a steady rate, each until it is acknowledged.

    Args:
      payloads: of the messages, in order.
      per_s: messages a second.
      all_acknowledged: is set when the last one is acknowledged.
    """

    def __init__(
        self, payloads: Iterable[bytes], per_s: float, all_acknowledged: threading.Event
    ) -> None:
        self._payloads = list(payloads)
        self._per_s = per_s
        self._all_acknowledged = all_acknowledged
        self._started_s = time.time()
        self._pulled = 0
        self._outstanding: set[str] = set()

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:  # noqa: ARG002 - they are small
        """Take the messages that are due, after a wait if there are none."""
        if self._published == self._pulled:
            time.sleep(wait_s)
        last = min(self._published, self._pulled + max_messages)
        messages = [self._message(number) for number in range(self._pulled, last)]
        self._pulled = last
        self._outstanding.update(message.place for message in messages)
        return messages

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages."""
        self._outstanding.difference_update(places)
        if self._pulled == len(self._payloads) and not self._outstanding:
            self._all_acknowledged.set()

    def stats(self) -> SubscriptionStats:
        """Count the messages."""
        return SubscriptionStats(
            waiting=self._published - self._pulled, processing=len(self._outstanding)
        )

    def close(self, within_s: float) -> None:
        """Do nothing: what is not acknowledged is published again by the next demo."""

    @property
    def _published(self) -> int:
        passed_s = time.time() - self._started_s
        return min(len(self._payloads), round(passed_s * self._per_s))

    def _message(self, number: int) -> Message:
        published_s = self._started_s + number / self._per_s
        return Message(
            payload=self._payloads[number],
            place=str(number),
            publish_time_us=round(published_s * SECOND_US),
        )


def watch_demo(config: Config) -> Summary:
    """Monitor the sample answers, twenty a second, until all are checked.

    Verdicts and alerts are shown as they come. No connection leaves this machine.

    Args:
      config: of the main job; its work folder is emptied, and files of an earlier demo removed.

    Returns:
      The counts.

    Raises:
      FolderInUse: another demo writes to the same output.
      OSError: the output or the work folder cannot be used.
    """
    _remove_earlier(config)
    stop = threading.Event()
    payloads = (
        line
        for path in sample_paths()
        for line in Path(path).read_bytes().split(b"\n")
        if line.strip()
    )
    settings = build(WatchSettings, {"subscription": _SUBSCRIPTION})
    return run_worker(
        config,
        settings,
        PipelineOptions([]),
        subscription=SampleSubscription(payloads, _PER_S, stop),
        reporter=TerminalReporter(sys.stdout),
        stop=stop,
    )


def _remove_earlier(config: Config) -> None:
    work = WorkFolder(str(config.work_folder))
    with work.held():
        work.remove()
    found = storage.find_below(config.output)
    storage.remove([path for path in found if Path(path).name.startswith(f"{config.run}-")])
