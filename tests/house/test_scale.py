"""The page on scale stands on its own arithmetic, and names flags that there are."""

import re

import pytest

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.launch.cli.placement import beam_flag_names
from groundwatch.pipeline.settings.definition import settings_of
from tests.benchmarks.scale_arithmetic import capacity, plan, recovery_s, tables
from tests.benchmarks.scale_figures import Figures, Prices
from tests.benchmarks.worker_scaling import Rehearsal
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
RATES = (1_000, 10_000, 100_000)


def test_the_tables_are_what_the_figures_make() -> None:
    printed = PAGE.partition("scale_arithmetic -->\n")[2].partition("\n<!-- end")[0]
    assert printed.splitlines() == list(tables(RATES, Figures(), Prices()))


def test_every_flag_it_names_exists() -> None:
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z0-9_]+)", PAGE))
    known = {
        setting.name
        for command in (WatchStreamSettings, BackfillSettings)
        for setting in settings_of(command)
    }
    assert named - {"cpu_ms", *beam_flag_names()} <= known


@pytest.mark.parametrize("rate", RATES)
def test_what_is_planned_carries_the_rate_and_makes_up_for_an_outage_in_its_own_time(
    rate: int,
) -> None:
    figures = Figures()
    able = capacity(plan(rate, figures), figures)
    assert able >= 2 * rate
    recovered_s = recovery_s(rate, able, outage_s=600)
    assert recovered_s is not None
    assert recovered_s <= 600


def test_calls_in_flight_are_rate_times_latency() -> None:
    figures = Figures(checked_share=1.0, latency_s=0.5)
    assert plan(1_000, figures).calls_in_flight == 500


@pytest.mark.parametrize(
    ("figures", "processes"),
    [
        (Figures(cpu_ms=0.0, stream_cpu_ms=0.0, latency_s=1.0, checked_share=1.0), 16),
        (Figures(cpu_ms=1.0, stream_cpu_ms=0.0, runner_factor=1.0, latency_s=0.01), 2),
    ],
    ids=["by calls in flight", "by processor time"],
)
def test_the_scarcer_of_processor_and_calls_decides(figures: Figures, processes: int) -> None:
    assert plan(1_000, figures).processes == processes


@pytest.mark.parametrize(
    ("rate", "able", "expected_s"), [(10, 20, 60), (10, 10, None), (10, 5, None), (10, 610, 1)]
)
def test_a_backlog_is_worked_off_by_the_free_capacity(
    rate: int, able: int, expected_s: int | None
) -> None:
    assert recovery_s(rate, able, outage_s=60) == expected_s


def test_a_quota_bounds_what_machines_can_do() -> None:
    figures = Figures(checked_share=0.5)
    assert capacity(plan(1_000, figures), figures, requests_per_minute=300) == 10


@pytest.mark.parametrize(
    ("workers", "quota", "per_s"), [(1, None, 80), (4, None, 320), (4, 6_000, 320), (4, 2_400, 160)]
)
def test_the_rehearsal_expects_what_calls_in_flight_and_quota_allow(
    workers: int, quota: int | None, per_s: float
) -> None:
    assert Rehearsal(workers, quota).expected_per_s == pytest.approx(per_s)
