"""Watch the bundled sample, without a cloud."""

import shlex
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.cli.json_log import keep_beam_quiet
from groundwatch.launch.cli.samples import sample_paths
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, fail
from groundwatch.launch.engine.engine_database import folder_held
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.results.report.write_report import write_report
from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.definition import build
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import SECOND_US
from .reporter import TerminalReporter
from .run_worker import run_worker

_PER_S = 20
_SUBSCRIPTION = "projects/demo/subscriptions/answers"


class SampleSubscription:
    """Deliver messages from memory at a steady rate; set an event when all are acknowledged."""

    def __init__(self, payloads: Sequence[bytes], all_acknowledged: threading.Event) -> None:
        self._payloads = payloads
        self._all_acknowledged = all_acknowledged
        self._started_s = time.time()
        self._pulled = 0
        self._outstanding = 0

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:  # noqa: ARG002 - they are small
        if self._published == self._pulled:
            time.sleep(wait_s)
        first, self._pulled = self._pulled, min(self._published, self._pulled + max_messages)
        messages = [
            Message(
                payload=self._payloads[number],
                place=str(number),
                publish_time_us=round((self._started_s + number / _PER_S) * SECOND_US),
            )
            for number in range(first, self._pulled)
        ]
        self._outstanding += len(messages)
        return messages

    def acknowledge(self, places: Iterable[str]) -> None:
        self._outstanding -= len(list(places))
        if self._pulled == len(self._payloads) and not self._outstanding:
            self._all_acknowledged.set()

    def stats(self) -> SubscriptionStats:
        waiting = self._published - self._pulled
        return SubscriptionStats(waiting=waiting, processing=self._outstanding)

    def close(self, within_s: float) -> None:
        """Do nothing: what is not acknowledged is published again by the next demo."""

    @property
    def _published(self) -> int:
        return min(len(self._payloads), round((time.time() - self._started_s) * _PER_S))


def run_demo(config: Config) -> int:
    """Monitor the sample answers until all are checked; no connection leaves this machine."""
    keep_beam_quiet()
    lines = (line for path in sample_paths() for line in Path(path).read_bytes().split(b"\n"))
    payloads = [line for line in lines if line.strip()]
    stop = threading.Event()
    try:
        with folder_held(str(config.work_folder)):
            storage.remove_folder(str(config.work_folder))
            found = storage.find_below(config.output)
            storage.remove([path for path in found if Path(path).name.startswith(f"{config.run}-")])
        summary = run_worker(
            config,
            build(WatchSettings, {"subscription": _SUBSCRIPTION}),
            subscription=SampleSubscription(payloads, stop),
            reporter=TerminalReporter(sys.stdout),
            stop=stop,
        )
        page, _ = write_report(config.output)
    except (LockFailed, OSError) as error:
        return fail(f"the demo failed: {error}")
    output = shlex.quote(config.output)
    sys.stdout.write(
        f"\n  {page}  open it in a browser\n"
        f"  groundwatch show ID {output}  shows a record; an alert names its ID\n"
    )
    return DONE if summary.closes else FAILED
