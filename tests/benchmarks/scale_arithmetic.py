"""What a stream of so many answers a second takes: machines, calls in flight, quota, money, files.

python -m tests.benchmarks.scale_arithmetic [--rates 1000 10000 100000] [--cpu_ms 0.86 ...]

Prints the tables of docs/scale.md from the figures in scale_figures.py, each of which is a flag.
Nothing is measured here, and nobody is asked anything.
"""

import argparse
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from tests.benchmarks.scale_figures import Figures, Prices

_DAY_S = 86_400
_HOURS = 24
_MONTH_DAYS = 30
_WRITES_A_FILE = 3  # the temporary object, its copy, the manifest; a deletion is free
_GIGA = 1e9
_OUTAGE_S = 600
_TENS = 10
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k"))


@dataclass(frozen=True)
class Plan:
    """What a rate takes."""

    rate: int
    processes_by_cpu: int
    calls_in_flight: float
    processes: int
    machines: int
    calls_a_minute: float
    shards: int
    files_a_day: float
    remembered_ids: float
    pubsub_bytes_s: float
    stage_bytes_s: float
    file_bytes_day: float
    kept_bytes: float
    retained_bytes: float


def plan(rate: int, figures: Figures) -> Plan:
    """Work out what a rate takes.

    Args:
      rate: answers a second at the peak.
      figures: what an answer takes.
    """
    cpu_s = (figures.cpu_ms + figures.stream_cpu_ms) * figures.runner_factor / 1000
    by_cpu = math.ceil(rate * cpu_s / figures.busy_share)
    calls_s = rate * figures.checked_share
    # Little's law: as many are under way as come while one takes its time.
    calls_in_flight = calls_s * figures.latency_s
    processes = max(by_cpu, math.ceil(calls_in_flight / (figures.in_flight * figures.busy_share)))
    shards = math.ceil(rate / figures.shard_rate)
    return Plan(
        rate=rate,
        processes_by_cpu=by_cpu,
        calls_in_flight=calls_in_flight,
        processes=processes,
        machines=math.ceil(processes / figures.vcpus),
        calls_a_minute=calls_s * 60,
        shards=shards,
        files_a_day=shards * figures.dates * figures.panes * _DAY_S / figures.window_s,
        remembered_ids=rate * figures.remembered_s,
        pubsub_bytes_s=rate * figures.message_bytes,
        stage_bytes_s=rate * figures.message_bytes * figures.stage_factor,
        file_bytes_day=rate * figures.file_bytes * _DAY_S,
        kept_bytes=rate * figures.file_bytes * _DAY_S * figures.kept_days,
        retained_bytes=rate * figures.message_bytes * _DAY_S * figures.retained_days,
    )


@dataclass(frozen=True)
class Bill:
    """Dollars a day."""

    machines: float
    stages: float
    pubsub: float
    retained: float
    files: float
    check: float


def bill(plan: Plan, figures: Figures, prices: Prices) -> Bill:
    """Work out what a plan costs."""
    vcpu_hour = prices.vcpu_hour + prices.gigabytes_a_vcpu * prices.gigabyte_hour
    chars_a_day = plan.calls_a_minute / 60 * figures.call_chars * _DAY_S
    return Bill(
        machines=plan.machines * figures.vcpus * vcpu_hour * _HOURS,
        stages=plan.stage_bytes_s * _DAY_S / _GIGA * prices.stage_gigabyte,
        # Published once, and delivered once.
        pubsub=2 * plan.pubsub_bytes_s * _DAY_S / 2**40 * prices.pubsub_tebibyte,
        retained=plan.retained_bytes / 2**30 * prices.pubsub_gibibyte_month / _MONTH_DAYS,
        files=plan.kept_bytes / _GIGA * prices.storage_gigabyte_month / _MONTH_DAYS
        + plan.files_a_day * _WRITES_A_FILE / 10_000 * prices.storage_ten_thousand_writes,
        check=chars_a_day / 1000 * prices.thousand_chars,
    )


def recovery_s(rate: float, capacity: float, outage_s: int) -> int | None:
    """Let an outage of the checker pass second by second.

    Args:
      rate: answers a second that come.
      capacity: answers a second that can be worked off.
      outage_s: seconds for which none is.

    Returns:
      The seconds from its end until nothing waits any more; None if that never is.
    """
    if capacity <= rate:
        return None
    backlog, second = rate * outage_s, 0
    while backlog > 0:
        backlog += rate - capacity
        second += 1
    return second


def capacity(plan: Plan, figures: Figures, requests_per_minute: float | None = None) -> float:
    """Answers a second that a plan's processes can work off, or a quota allows."""
    cpu_s = (figures.cpu_ms + figures.stream_cpu_ms) * figures.runner_factor / 1000
    by_calls = plan.processes * figures.in_flight / figures.latency_s / figures.checked_share
    able = min(plan.processes / cpu_s, by_calls)
    if requests_per_minute is None:
        return able
    return min(able, requests_per_minute / 60 / figures.checked_share)


def tables(rates: Sequence[int], figures: Figures, prices: Prices) -> Iterator[str]:
    """Write the tables as Markdown."""
    plans = [plan(rate, figures) for rate in rates]
    bills = [bill(each, figures, prices) for each in plans]
    heads = [f"{rate:,}" for rate in rates]
    yield from _table("answers a second", heads, _needs(plans))
    yield ""
    yield from _table("dollars a day", heads, _costs(bills))
    yield ""
    yield from _table("after ten minutes of outage", heads, _recoveries(plans, figures))


def _needs(plans: Sequence[Plan]) -> Iterator[tuple[str, list[str]]]:
    for label, name in (
        ("processes for the processor time", "processes_by_cpu"),
        ("calls in flight: rate times latency", "calls_in_flight"),
        ("processes for both", "processes"),
        ("machines", "machines"),
        ("quota, calls a minute", "calls_a_minute"),
        ("Pub/Sub, bytes a second", "pubsub_bytes_s"),
        ("between stages, bytes a second", "stage_bytes_s"),
        ("record ids in state", "remembered_ids"),
        ("shards", "shards"),
        ("files a day", "files_a_day"),
        ("bytes in files a day", "file_bytes_day"),
        ("bytes in files of 30 days", "kept_bytes"),
        ("acknowledged messages kept for 7 days, bytes", "retained_bytes"),
    ):
        yield label, [_short(getattr(each, name)) for each in plans]


def _costs(bills: Sequence[Bill]) -> Iterator[tuple[str, list[str]]]:
    for label, name in (
        ("machines", "machines"),
        ("Streaming Engine", "stages"),
        ("Pub/Sub", "pubsub"),
        ("acknowledged messages kept for 7 days", "retained"),
        ("Cloud Storage, files of 30 days", "files"),
        ("the check of every answer", "check"),
        ("the check of one answer in a hundred", "check"),
    ):
        share = 0.01 if "hundred" in label else 1.0
        yield label, [_short(getattr(each, name) * share) for each in bills]


def _recoveries(plans: Sequence[Plan], figures: Figures) -> Iterator[tuple[str, list[str]]]:
    yield "backlog, answers", [_short(each.rate * _OUTAGE_S) for each in plans]
    for label, left in (("", 1.0), (" on a third fewer machines", 2 / 3)):
        times = [recovery_s(p.rate, capacity(p, figures) * left, _OUTAGE_S) for p in plans]
        texts = ["never" if time is None else f"{time / 60:.0f} min" for time in times]
        yield f"time to process the backlog{label}", texts


def _table(
    title: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]
) -> Iterator[str]:
    yield f"| {title} | {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(heads)}"
    for label, values in rows:
        yield f"| {label} | {' | '.join(values)} |"


def _short(number: float) -> str:
    """Write a number in three digits or so."""
    for size, unit in _UNITS:
        if number >= size:
            scaled = number / (size if unit != "k" else 1e3)
            return f"{scaled:.0f} {unit}" if scaled >= _TENS else f"{scaled:.1f} {unit}"
    return f"{math.ceil(number):,}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    for kind in (Figures, Prices):
        for field in fields(kind):
            parser.add_argument(f"--{field.name}", type=float, default=field.default)
    given = vars(parser.parse_args())
    figures, prices = (
        kind(**{field.name: given[field.name] for field in fields(kind)})
        for kind in (Figures, Prices)
    )
    sys.stdout.writelines(f"{line}\n" for line in tables(given["rates"], figures, prices))


if __name__ == "__main__":
    main()
