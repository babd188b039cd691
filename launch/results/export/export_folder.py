"""Send the records of an output folder to a target, and resume where an export stopped."""

import logging
import time
from collections.abc import Callable, Sequence
from itertools import islice

import msgspec

from groundwatch.launch.cli.commands.export import ExportSettings
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.progress import Gauges, Progress
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.results.waiting_rows import explain_no_records, find_results
from groundwatch.launch.targets.target import Target, TargetUnavailable, deliver
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources import output_folder
from groundwatch.pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from groundwatch.schemas import Record
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.transforms.rules.alerting import grounding_result
from groundwatch.transforms.runtime.retry_schedule import RetrySchedule

_WRITE_EVERY_S = 1.0
_SCHEDULE = RetrySchedule(first_s=1.0, longest_s=30.0)
_GIVE_UP_AFTER_S = 120.0
_log = logging.getLogger(__name__)


class Exported(Record, frozen=True, kw_only=True):
    """What an export to one place has done: the rows of each file, and what became of them.

    A file that is replaced is another file. `purpose` holds the filter of the export; with another,
    it begins again.
    """

    purpose: str = ""
    files: dict[str, int] = {}
    delivered: Delivered = Delivered()
    older: int = 0


class ExportProgress(Exported, frozen=True, kw_only=True):
    """The file of progress: exports by the `place` of their target.

    The other fields are those of the one export in a file of 2.0.0, which has no place.
    """

    places: dict[str, Exported] = {}


class FolderExport:
    """Send the records of a folder in the order of its files, and keep what is done in a file.

    Attributes:
      delivered: what became of the records, with those of earlier exports.
      damaged: the files that are damaged; their records in front of that are sent.
    """

    def __init__(
        self, settings: ExportSettings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        hidden = f".groundwatch-export-{settings.to}.json"
        self._path = settings.progress or storage.join(settings.folder, hidden)
        filters = settings.since, settings.export_text
        self._purpose = msgspec.json.encode(filters).decode()
        self._old_purpose = msgspec.json.encode((settings.endpoint, *filters)).decode()
        self._places: dict[str, Exported] = {}
        self._place = ""
        self._files: dict[str, int] = {}
        self._older = self._sent_before = 0
        self._write_at_s = 0.0
        self.delivered = Delivered()
        self.damaged: list[str] = []

    def send_all(self, target: Target[GroundingResult]) -> None:
        """Send what is not sent yet, or raise what `Target.send` does after two minutes.

        Another export with the same file of progress is waited for; LockFailed if it goes on.
        """
        self._place = target.place
        with lock_output(f"{self._path}.lock", LOCK_WAIT_S):
            self._send_files(target)

    def _send_files(self, target: Target[GroundingResult]) -> None:
        found = find_results(self._settings.folder)
        if not found.enriched:
            folder = self._settings.folder
            raise output_folder.UnreadableFile(folder, explain_no_records(folder))
        self._resume()
        # Another run may have replaced a file, which has another version then.
        names = {f"{path} {storage.version(path)}": path for path in found.enriched}
        self._files = {name: rows for name, rows in self._files.items() if name in names}
        total = (found.summary and output_folder.read_summary(found.summary).enriched) or 0
        try:
            with Progress(total, self._records, lambda: Gauges({"done": self._records})):
                for name, path in names.items():
                    self._send_file(target, name, path)
        finally:
            self._write()

    def describe(self) -> str:
        """Count the records by what became of them, and those that an earlier export has sent."""
        done, before = self.delivered, self._sent_before
        now = done.sent - before
        confirmed = f"{counted(now, 'record')} sent" + (" and confirmed" if now else "")
        sent = confirmed if now or not before else "nothing new to send"
        parts = [f"{self._settings.to}: {sent}"]
        if before:
            parts.append(f"{before:,} sent before")
        if done.skipped:
            parts.append(f"{done.skipped:,} skipped (no trace id)")
        if done.refused:
            parts.append(f"{done.refused:,} refused")
        if self._older:
            parts.append(f"{self._older:,} before --since, or without a time")
        return f"{', '.join(parts)}; {self._path} keeps what is done"

    @property
    def _records(self) -> int:
        return sum(self._files.values())

    def _resume(self) -> None:
        if storage.exists(self._path):
            try:
                found = msgspec.json.decode(storage.read_whole(self._path), type=ExportProgress)
            except msgspec.MsgspecError:
                raise OSError(f"{self._path} is damaged: delete it to send all again") from None
            self._places = found.places
            is_old = found.purpose == self._old_purpose
            if is_old and not self._settings.endpoint:
                problem = "is of an earlier release and does not name its address"
                advice = "it counts for the one used now; delete it to send all again"
                _log.warning("%s %s: %s", self._path, problem, advice)
            earlier = found if is_old else found.places.get(self._place)
            if earlier and earlier.purpose in {self._purpose, self._old_purpose}:
                self._files, self._older = earlier.files, earlier.older
                self.delivered, self._sent_before = earlier.delivered, earlier.delivered.sent

    def _send_file(self, target: Target[GroundingResult], name: str, path: str) -> None:
        rows = output_folder.until_damage(output_folder.read_answers(path), self.damaged)
        answers = islice(rows, self._files.get(name, 0), None)
        results = (grounding_result(each, with_text=self._settings.export_text) for each in answers)
        since_us = self._settings.since
        while batch := list(islice(results, target.max_rows)):
            recent = [
                each for each in batch if since_us is None or (each.event_time_us or 0) >= since_us
            ]
            self.delivered += self._deliver(target, recent)
            self._older += len(batch) - len(recent)
            self._files[name] = self._files.get(name, 0) + len(batch)
            if time.monotonic() >= self._write_at_s:
                self._write()

    def _deliver(
        self, target: Target[GroundingResult], results: Sequence[GroundingResult]
    ) -> Delivered:
        """Deliver results; wait for a target that is away, two minutes at most."""
        failures, waited_s, delivered = 0, 0.0, Delivered()
        while True:
            try:
                return delivered + deliver(target, results)
            except TargetUnavailable as error:
                results, delivered = results[error.stored :], delivered + error.delivered
                if not failures:
                    _log.warning("waiting: %s", error)
                failures += 1
                pause_s = error.retry_after_s or _SCHEDULE.wait_s(failures)
                if waited_s + pause_s > _GIVE_UP_AFTER_S:
                    raise
                self._sleep(pause_s)
                waited_s += pause_s

    def _write(self) -> None:
        done = Exported(
            purpose=self._purpose, files=self._files, delivered=self.delivered, older=self._older
        )
        progress = ExportProgress(places={**self._places, self._place: done})
        storage.write_whole(self._path, msgspec.json.encode(progress))
        self._write_at_s = time.monotonic() + _WRITE_EVERY_S
