"""What Prometheus reads, read back by its own parser."""

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from groundwatch import __version__, transforms
from groundwatch.launch.engine.journal import LedgerHour, WaitingRows
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch.health.metrics import CHECKS, ERROR_CLASSES, Metrics
from groundwatch.launch.watch.worker import Defect
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.summary import RunCounts
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.errors import CheckFailed, Deferred, RunStopped
from groundwatch.transforms.runtime import clock, counters
from groundwatch.transforms.runtime.counters import Counter, Distribution
from tests.support.builders import NOON_US
from tests.support.journals import an_account
from tests.support.repository import ROOT

COUNTS = RunCounts(
    read=27,
    duplicates=3,
    sampled_out=4,
    verdicts={"GROUNDED": 12, "LOW_GROUNDED": 2},
    failures_by_error={"UnreadableAnswer": 3, "UnmappedFields": 2, "Unavailable": 1},
    retryable_failures=1,
)
STATS = SubscriptionStats(
    waiting=10,
    processing=20,
    settled=30,
    size_bytes=4_000,
    overdue=1,
    redelivered=2,
    oldest_unacked_age_s=12.5,
    is_available=False,
)


class AWorker:
    """A worker as its metrics see it."""

    def __init__(self, *, is_well: bool = True) -> None:
        self.health = SimpleNamespace(reasons=lambda: {} if is_well else {"not_pulling": ""})

    batches_done = 5
    batches_failed = 2
    waiting = 15
    monitor = SimpleNamespace(open_incident_counts={"rate": 4, "no_data": 6, "checker": 1})
    publisher = SimpleNamespace(failed=4)
    destinations = (
        SimpleNamespace(kind="alert", problem="it does not exist", waiting_for_s=700.5),
        SimpleNamespace(kind="phoenix", problem=None, waiting_for_s=0.0),
        SimpleNamespace(kind="slack:HOOK", problem=None, waiting_for_s=0.0),
    )
    subscription = SimpleNamespace(stats=lambda: STATS)


class AJournal:
    """A journal as the metrics see it."""

    def totals(self) -> RunCounts:
        return COUNTS

    def ledger(self) -> list[LedgerHour]:
        return [an_account(read=3), an_account()]

    outbox = SimpleNamespace(
        count={"alert": 7, "failure": 3}.get,
        pending=lambda: {"phoenix": 8, "alert": 7, "failure": 3},
        delivered=lambda: {
            "mlflow": Delivered(sent=5, refused=4, skipped=3, dropped=2),
            "alert": Delivered(sent=9),
        },
    )

    def waiting(self) -> dict[str, WaitingRows]:
        oldest_us = NOON_US - 61_500_000
        return {
            "enriched": WaitingRows(9, 2, oldest_us),
            "alerts": WaitingRows(1, 1, NOON_US),
            "failures": WaitingRows(2, 1, NOON_US),
        }


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_us", lambda: NOON_US)


def import_all_transforms() -> None:
    """Make all classes of errors known."""
    for module in pkgutil.walk_packages(transforms.__path__, f"{transforms.__name__}."):
        if module.name.rpartition(".")[2] not in {"onnx_model", "entailment"}:
            import_module(module.name)


OPENMETRICS = "application/openmetrics-text; version=1.0.0"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def metrics(*, is_well: bool = True) -> Metrics:
    return Metrics(AWorker(is_well=is_well), AJournal())  # type: ignore[arg-type]


def samples_of_page(*, is_well: bool = True) -> Samples:
    """Every sample of the page by its name and labels."""
    page = metrics(is_well=is_well).page("")
    assert page.status == 200
    assert page.content_type.startswith("text/plain")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in read_text(page.body.decode())
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"groundwatch_{name}", frozenset(labels.items())]


def test_the_statistics_of_the_subscription_and_the_worker_are_metrics() -> None:
    samples = samples_of_page()
    assert value(samples, "outstanding_messages", state="waiting") == 10
    assert value(samples, "outstanding_messages", state="processing") == 20
    assert value(samples, "outstanding_messages", state="settled") == 30
    assert value(samples, "outstanding_bytes") == 4_000
    assert value(samples, "deferred_messages") == 15
    assert value(samples, "leases_overdue") == 1
    assert value(samples, "redelivered_total") == 2
    assert value(samples, "oldest_unacked_age_seconds") == 12.5
    assert value(samples, "pubsub_up") == 0
    assert value(samples, "destination_up", target="alert") == 0
    assert value(samples, "destination_up", target="phoenix") == 1
    assert value(samples, "batches_total", outcome="done") == 5
    assert value(samples, "batches_total", outcome="failed") == 2
    assert value(samples, "ledger_gap") == 1
    assert value(samples, "unpublished", kind="alert") == 7 + 1
    assert value(samples, "unpublished", kind="failure") == 3 + 2
    assert value(samples, "outbox_pending", target="phoenix") == 8
    assert value(samples, "outbox_pending", target="mlflow") == 0
    outbox = [dict(labels) for name, labels in samples if "_outbox_" in name]
    targets = {labels["target"] for labels in outbox}
    assert targets == {"phoenix", "mlflow", "slack:HOOK"}, (
        "rows for the topics are counted as unpublished"
    )
    ends = ("sent", "refused", "skipped", "dropped")
    counts = [value(samples, f"outbox_{end}_total", target="mlflow") for end in ends]
    assert counts == [5, 4, 3, 2]
    assert value(samples, "oldest_undelivered_age_seconds", target="alert") == 700.5
    assert value(samples, "unpublished_batches") == 2
    assert value(samples, "oldest_unpublished_age_seconds") == 61.5
    assert value(samples, "failed_publications_total") == 4
    assert value(samples, "open_incidents", kind="rate") == 4
    assert value(samples, "open_incidents", kind="no_data") == 6
    assert value(samples, "open_incidents", kind="checker") == 1


@pytest.mark.parametrize("target", ["phoenix", "slack:HOOK"])
@pytest.mark.parametrize("end", ["sent", "refused", "skipped", "dropped"])
def test_a_destination_without_a_row_has_all_series_at_zero(target: str, end: str) -> None:
    """Prometheus sees no increase in a series that begins at its value."""
    assert value(samples_of_page(), f"outbox_{end}_total", target=target) == 0


def all_subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(all_subclasses, kind.__subclasses__()))


def test_each_class_of_failure_has_a_series_from_the_start() -> None:
    import_all_transforms()
    # Of an answer that is deferred nothing is written.
    no_failures = all_subclasses(RunStopped) | all_subclasses(Deferred) | {CheckFailed}
    raised = all_subclasses(CheckFailed) - no_failures
    raised |= all_subclasses(UnreadableAnswer) | {Defect}
    ours = {each.__name__ for each in raised if each.__module__.startswith("groundwatch.")}
    assert ours == {*ERROR_CLASSES}
    samples = samples_of_page()
    exported = {dict(labels)["error_class"] for name, labels in samples if "failures_total" in name}
    assert exported == ours
    assert value(samples, "failures_total", error_class="Rejected") == 0
    assert value(samples, "failures_total", error_class="UnreadableAnswer") == 3


@pytest.mark.parametrize("is_well", [True, False])
def test_health_is_a_metric_too(is_well: bool) -> None:
    assert value(samples_of_page(is_well=is_well), "healthy") == is_well


def test_every_counter_of_the_steps_is_a_metric_of_its_name() -> None:
    known = {counter for counter in vars(counters).values() if isinstance(counter, Counter)}
    samples = samples_of_page()
    known -= {counters.OVER_BUDGET}  # no worker has a budget
    assert {f"groundwatch_{counter.name}_total" for counter in known} <= {
        name for name, _ in samples
    }
    for counter in CHECKS:
        assert value(samples, f"{counter.name}_total") == counter.value


def test_what_became_of_the_messages_adds_up() -> None:
    samples = samples_of_page()
    assert value(samples, "messages_read_total") == 27
    assert value(samples, "duplicates_seen_total") == 3
    assert value(samples, "sampled_out_total") == 4
    assert value(samples, "parse_failed_total") == 5
    assert value(samples, "failures_retryable_total") == 1
    assert value(samples, "failures_total", error_class="UnreadableAnswer") == 3
    assert value(samples, "failures_total", error_class="Unavailable") == 1
    for verdict in Verdict:
        counted = COUNTS.verdicts.get(verdict, 0)
        assert value(samples, "answers_total", verdict=verdict) == counted
    ends = ("answers_total", "failures_total", "duplicates_seen_total", "sampled_out_total")
    names = {f"groundwatch_{end}" for end in ends}
    assert sum(count for (name, _), count in samples.items() if name in names) == 27


@pytest.mark.parametrize(
    ("name", "latency_ms"),
    [
        ("check_seconds", counters.CHECK_LATENCY_MS),
        ("publish_to_alert_seconds", counters.ALERT_LATENCY_MS),
    ],
)
def test_latencies_are_histograms_of_seconds(name: str, latency_ms: Distribution) -> None:
    before = samples_of_page()
    for one_ms in (100, 101, 250, 1_000_000_000):
        latency_ms.update(one_ms)
    after = samples_of_page()

    def more(of: str, **labels: str) -> float:
        return value(after, f"{name}_{of}", **labels) - value(before, f"{name}_{of}", **labels)

    assert more("bucket", le="0.05") == 0
    assert more("bucket", le="0.1") == 1
    assert more("bucket", le="0.25") == 3
    assert more("bucket", le="+Inf") == more("count") == 4
    assert more("sum") == pytest.approx(1_000_000.451)


def test_the_versions_are_a_metric() -> None:
    (labels,) = (
        dict(labels) for name, labels in samples_of_page() if name == "groundwatch_build_info"
    )
    assert labels["version"] == __version__
    assert set(labels) == {"version", "beam", "python"}


def test_the_process_has_its_standard_metrics() -> None:
    memory = samples_of_page().get(("process_resident_memory_bytes", frozenset()), 0)
    assert (memory > 1_000_000) is Path("/proc/self/stat").exists()


def test_the_names_are_as_ever() -> None:
    # Dashboards and alerts out there are made of these: a name may be added, never changed.
    ours = (name for name, _ in samples_of_page() if name.startswith("groundwatch_"))
    families = {re.sub("^groundwatch_|_(bucket|count|sum)$", "", name) for name in ours}
    assert families == {
        *("answers_total", "archives_damaged_total", "batches_total", "build_info"),
        *("calls_in_flight", "calls_total", "characters_total", "check_seconds"),
        *("checks_failed_total", "checks_ok_total", "duplicates_seen_total", "escalations_total"),
        *("failures_retryable_total", "failures_total", "further_answers_total", "healthy"),
        *("outstanding_bytes", "outstanding_messages", "leases_overdue", "ledger_gap"),
        *("deferred_total", "messages_read_total", "oldest_unacked_age_seconds", "open_incidents"),
        *("parse_failed_total", "publish_to_alert_seconds", "pubsub_up", "redelivered_total"),
        *("retries_total", "sampled_out_total", "unpublished", "outbox_pending"),
        *("outbox_sent_total", "outbox_refused_total", "outbox_skipped_total"),
        *("outbox_dropped_total", "unpublished_batches", "oldest_unpublished_age_seconds"),
        *(
            "deferred_messages",
            "failed_publications_total",
            "destination_up",
            "oldest_undelivered_age_seconds",
        ),
    }


def test_a_reader_that_asks_for_openmetrics_gets_it() -> None:
    page = metrics().page(OPENMETRICS)
    assert page.content_type.startswith("application/openmetrics-text")
    families = {family.name for family in read_openmetrics(page.body.decode())}
    assert "groundwatch_answers" in families


def test_nothing_is_asked_before_somebody_reads() -> None:
    Metrics(None, None)  # type: ignore[arg-type]


def test_every_metric_is_explained() -> None:
    page = ROOT / "docs" / "monitoring.md"
    explained = set(re.findall(r"`(groundwatch_\w+)`", page.read_text(encoding="utf-8")))
    assert {name for name, _ in samples_of_page() if name.startswith("groundwatch_")} <= {
        *explained,
        *(f"{name}_{part}" for name in explained for part in ("bucket", "count", "sum")),
    }
