"""Check known answers regularly, to detect a change of the checker."""

import hashlib
import logging
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import fastavro
import msgspec
from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.engine.journal import Journal
from launch.engine.local_pipeline import LocalPipeline
from pipeline.settings.config import Config
from pipeline.sinks.sink import WorkerSink
from pipeline.sources.archives import read_file
from pipeline.sources.read_archives import MessageRange
from schemas import Record
from schemas.alert import Alert, AlertKind, RateIncident, Severity
from schemas.quantities import MINUTE_US, SECOND_US
from transforms.grounding.errors import RunStopped
from transforms.grounding.settings import OutagePolicy
from transforms.persistence.private_files import make_folder
from transforms.rules.sampling import SamplingRule

_TRY_AGAIN_US = MINUTE_US
_MAX_CHANGED = 0.05  # of a hundred known answers five may differ without an alert
_SIGNAL, _NOTE = "canary", "canary baseline"
_log = logging.getLogger(__name__)


class CanaryResult(Record, frozen=True):
    """The verdict and the support score, if it has one, of a known answer."""

    verdict: str
    support_score: float | None


class CanaryBaseline(Record, frozen=True):
    """The first results by record id, and since when too many differ; kept over a restart.

    Another fingerprint, of the answers and the relevant settings, takes a new baseline.
    """

    fingerprint: str
    results: dict[str, CanaryResult]
    opened_at_us: int | None = None


class Canary:
    """Check a file of known answers on a schedule, without cache, ledger and sampling.

    A change of their results is a change of the checker. When more than five in a hundred have
    another verdict than at first, or a support score that differs by more than the drift threshold,
    an incident opens: an alert of the kind ``rate`` with the signal ``canary``. A second alert
    closes it.
    """

    def __init__(
        self, config: Config, options: PipelineOptions, journal: Journal, path: str, every_s: float
    ) -> None:
        self._folder = f"{config.work_folder}/{_SIGNAL}"
        # The batches wait for these checks.
        uncached = replace(
            config.check,
            cache_bytes=0,
            reply_store=None,
            outage=OutagePolicy.FAIL,
            retries=replace(config.check.retries, max_attempts=3, total_s=10.0),
        )
        own = replace(
            config,
            check=uncached,
            work_folder=self._folder,
            sampling=SamplingRule(),
            keeps_results=False,
            publishes_enriched=False,
        )
        self._pipeline = LocalPipeline(own, options, WorkerSink)
        self._journal = journal
        self._path = path
        self._every_us = round(every_s * SECOND_US)
        self._drift = config.thresholds.drift
        relevant = msgspec.json.encode([own.check, own.thresholds, own.moved_reasons, own.parsing])
        self._fingerprint = hashlib.sha256(relevant + Path(path).read_bytes()).hexdigest()
        self._due_at_us = 0
        baseline = journal.note(_NOTE, CanaryBaseline)
        self.is_open = baseline is not None and baseline.opened_at_us is not None

    def check(self, now_us: int) -> None:
        """Check the answers, if it is time by the wall clock; raise OSError or RunStopped."""
        # A clock that was set back delays nothing.
        if 0 < self._due_at_us - now_us <= max(self._every_us, _TRY_AGAIN_US):
            return
        self._due_at_us = now_us + _TRY_AGAIN_US
        results = self._check()
        if results is None:
            _log.warning("some canaries could not be checked; they are tried again")
            return
        self._due_at_us = now_us + self._every_us
        baseline = self._journal.note(_NOTE, CanaryBaseline)
        if baseline is None or baseline.fingerprint != self._fingerprint:
            # An open incident was of another baseline: it closes.
            opened_at_us = baseline.opened_at_us if baseline else None
            baseline = CanaryBaseline(self._fingerprint, results, opened_at_us)
        alerts, updated = compare_canaries(baseline, results, self._drift, now_us)
        self._journal.raise_alerts(alerts, {_NOTE: updated})
        self.is_open = updated.opened_at_us is not None

    def _check(self) -> dict[str, CanaryResult] | None:
        """Check all answers; return None if some could not be checked."""
        shutil.rmtree(self._folder, ignore_errors=True)
        make_folder(self._folder)
        source = MessageRange(place=self._path, messages=read_file(self._path, are_failures=False))
        try:
            # Torn down at the end: its steps keep files of the folder open.
            with closing(self._pipeline):
                batch, counts = self._pipeline.run([source], self._folder)
        except (RunStopped, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a defect must not end the monitoring
            _log.error("a bug of groundwatch, with the canaries: %s", type(error).__name__)
            return None
        if counts.deferred or batch.failures:
            return None
        results: dict[str, CanaryResult] = {}
        for part in batch.parts:
            with Path(part.path).open("rb") as stream:
                for row in fastavro.reader(stream):
                    results[row["record_id"]] = msgspec.convert(row, CanaryResult)
        return results


def compare_canaries(
    baseline: CanaryBaseline, results: Mapping[str, CanaryResult], drift: float, now_us: int
) -> tuple[list[Alert], CanaryBaseline]:
    """Return at most one alert, and the baseline to keep; scores may differ by `drift`."""
    compared = baseline.results.keys() & results.keys()
    changed = sum(_differ(baseline.results[key], results[key], drift) for key in compared)
    share = changed / len(compared) if compared else 0.0
    is_open = share > _MAX_CHANGED
    if is_open == (baseline.opened_at_us is not None):
        return [], baseline
    incident = RateIncident(
        signal=_SIGNAL,
        state="open" if is_open else "closed",
        share=share,
        burn_rate=share / _MAX_CHANGED,
        answers=len(compared),
        opened_at_us=now_us if baseline.opened_at_us is None else baseline.opened_at_us,
    )
    severity = Severity.CRITICAL if is_open else Severity.INFO
    alert = Alert(kind=AlertKind.RATE, event_time_us=now_us, severity=severity, rate=incident)
    return [alert], replace(baseline, opened_at_us=now_us if is_open else None)


def _differ(first: CanaryResult, now: CanaryResult, drift: float) -> bool:
    if first.verdict != now.verdict or first.support_score is None or now.support_score is None:
        return first != now
    return abs(first.support_score - now.support_score) > drift
