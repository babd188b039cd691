"""`groundwatch estimate`, compared with the backfill."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.transforms.rules.limits import CheckLimits
from tests.support.archives import an_envelope, an_unsupported_envelope, lines_of
from tests.support.fault_server import FaultServer, always
from tests.support.limits import limited
from tests.support.outputs import Json, records_in, summary_in
from tests.support.pubsub_servers import free_port
from tests.support.runs import an_archive, backfill
from tests.support.wire_faults import status

LONG = " ".join(f"Lamp {number} glows red at night." for number in range(40))
VARIED = [
    *(an_envelope(number, answer=f"Lamp {number} glows.") for number in range(30)),
    *(an_envelope(number, answer="Lamps glow.") for number in range(100, 120)),
    *(an_envelope(number, answer=LONG, facts=["Lamps.", LONG]) for number in range(200, 203)),
    *(an_envelope(number, facts=[]) for number in range(300, 306)),
    *(an_envelope(number) for number in range(10)),
    b'{"answerText": "None.", "answerSkippedReasons": ["LOW_GROUNDED_ANSWER"]}',
    b"no answer",
]
PAIRED = [
    *VARIED,
    *(an_unsupported_envelope(number, query=None) for number in range(400, 420)),
    an_envelope(500, answer=f"{LONG} Nobody sees the moon."),
]
SPLITTING = CheckLimits(max_answer_tokens=50, max_fact_chars=200)
"""So that the long answers take several calls, and each still has all facts."""


def estimate(archive: Path | str, output: Path, *flags: str, status: int = 0) -> Json:
    """Run an estimate of the archive, and read what it wrote."""
    places = "--input", str(archive), "--output", str(output)
    assert main(["estimate", *places, *flags]) == status
    read: Json = json.loads((output / "estimate.json").read_bytes())
    return read


SAME = ("read", "failures", "duplicates", "sampled_out", "calls", "characters", "cost")

RUNS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "as it is": ((), {}),
    "long answers split": ((), {"limits": SPLITTING}),
    "too many calls": ((), {"limits": SPLITTING, "max_calls_per_answer": 3}),
    "nothing kept": ((), {"limits": SPLITTING, "cache_bytes": 0}),
    "a share of the answers": (("--sample", "0.4"), {"limits": SPLITTING}),
    "a share of an engine": (("--sample", "shop=0.1", "0.9"), {}),
    "a price": (("--price_per_1k_chars", "0.75"), {}),
    "a reason moved": (("--move_reason", "LOW_GROUNDED_ANSWER=NOT_ANSWERED"), {}),
    "another format": (("--input_format", "gemini.candidate"), {}),
}


@pytest.mark.parametrize(("flags", "check"), RUNS.values(), ids=RUNS)
def test_the_estimate_equals_the_backfill(
    tmp_path: Path, flags: tuple[str, ...], check: dict[str, Any]
) -> None:
    archive = an_archive(tmp_path, *VARIED)
    # Nothing of it can be read in another format.
    status = int("--input_format" in flags)
    with limited(**check):
        estimated = estimate(archive, tmp_path / "out", *flags, status=status)
        assert backfill(archive, tmp_path / "out", *flags) == status
    made = summary_in(tmp_path / "out")
    assert [estimated[name] for name in SAME] == [made[name] for name in SAME]
    assert estimated["run"] == made["run"]
    assert sum(estimated["decided"].values()) + estimated["to_check"] == made["enriched"]
    assert all(count <= made["verdicts"][name] for name, count in estimated["decided"].items())


@limited(cache_bytes=0)
def test_a_paid_checker_is_paid_once_without_a_cache_too(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, *VARIED)
    with FaultServer() as server:
        flags = "--checker", server.address
        estimated = estimate(archive, tmp_path / "out", *flags)
        assert server.requests == 0
        assert backfill(archive, tmp_path / "out", *flags) == 0
        assert server.requests == summary_in(tmp_path / "out")["calls"] == estimated["calls"]


@pytest.mark.parametrize("flags", [(), ("--escalate_share", "0.4"), ("--escalate_below", "1")])
def test_the_calls_of_two_checkers_are_estimated_by_the_first(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    archive = an_archive(tmp_path, *PAIRED)
    with FaultServer() as second, limited(limits=SPLITTING):
        flags = "--escalate", second.address, "--price_per_1k_chars", "0.75", *flags
        estimated = estimate(archive, tmp_path / "out", *flags)
        assert second.requests == 0
        assert backfill(archive, tmp_path / "out", *flags) == 0
    made, records = summary_in(tmp_path / "out"), records_in(tmp_path / "out")
    assert [estimated[name] for name in SAME] == [made[name] for name in SAME]
    assert second.requests == estimated["calls"] > 0
    tags = Counter(tag for record in records for tag in record["tags"])
    assert (estimated["escalated"], estimated["audited"]) == (tags["ESCALATED"], tags["AUDITED"])
    assert (estimated["escalated"], estimated["audited"] > 0) > (20, bool(flags[4:]))
    assert estimated["to_check"] == sum(record["screen"] is not None for record in records)
    assert estimated["screen_calls"] == sum(
        record["check"]["calls"]
        for record in without_second(archive, tmp_path / "alone")
        if record["check"]
    )


def without_second(archive: Path, output: Path) -> list[Json]:
    """The records of a run with the first checker alone."""
    with limited(limits=SPLITTING):
        assert backfill(archive, output, "--scorer", "none") == 0
    return records_in(output)


def test_a_first_checker_that_is_away_ends_the_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, *PAIRED)
    flags = "--checker", f"http://127.0.0.1:{free_port()}", "--escalate", "http://127.0.0.1:9"
    assert main(["estimate", "--input", str(archive), *flags]) == 1
    assert "the estimate failed: cannot connect to http://127.0.0.1" in capsys.readouterr().err


def test_what_the_first_checker_cannot_check_counts_as_a_failure(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, *PAIRED)
    with FaultServer(always(status(400, "INVALID_ARGUMENT"))) as first, FaultServer() as second:
        flags = "--checker", first.address, "--escalate", second.address
        estimated = estimate(archive, tmp_path / "out", *flags)
        assert backfill(archive, tmp_path / "out", *flags) == 0
    made = summary_in(tmp_path / "out")
    assert estimated["failures"] == made["failures"] > 20
    assert [estimated[name] for name in ("read", "calls")] == [made["read"], made["calls"]]


def test_a_damaged_archive_is_counted_as_the_backfill_counts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = tmp_path / "cut.jsonl.gz", tmp_path / "out"
    archive.write_bytes(gzip.compress(lines_of(*VARIED))[:-9])
    places = "--input", str(archive), "--output", str(output)
    assert main(["estimate", *places]) == 1
    complaint = "damaged archives: 1\n  {}#after-record-0: gzip member 1, from byte 0, is"
    assert complaint.format(archive) in capsys.readouterr().err
    estimated = json.loads((output / "estimate.json").read_bytes())
    assert backfill(archive, output) == 1
    made = summary_in(output)
    assert estimated["damaged_archives"] == made["damaged_archives"] == 1
    assert [estimated[name] for name in SAME] == [made[name] for name in SAME]


def test_without_an_output_the_estimate_is_only_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, elsewhere = an_archive(tmp_path, *VARIED), tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["estimate", "--input", str(archive), "--requests_per_minute", "30"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "71 messages, no call made" in printed
    assert "at 30 requests a minute" in printed
    assert list(elsewhere.iterdir()) == []


def test_flags_of_a_backfill_are_taken_and_nothing_but_the_estimate_is_left(tmp_path: Path) -> None:
    flags = "--text", "none", "--timeout_s", "3", "--direct_num_workers", "1"
    estimate(an_archive(tmp_path, *VARIED), tmp_path / "out", *flags)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["estimate.json"]


PACES: dict[str, tuple[tuple[str, ...], float | None, float]] = {
    "a model": (("--max_in_flight", "2"), None, 30 * 0.1 / 2 / 60),
    "no quota": (("--max_in_flight", "2", "--scorer", "none"), None, 30 * 0.5 / 2 / 60),
    "a quota": (("--requests_per_minute", "10", "--scorer", "none"), 3.0, 30 * 0.5 / 128 / 60),
    "a quota that is never reached": (
        ("--requests_per_minute", "1000", "--max_in_flight", "1", "--assumed_latency_ms", "2000"),
        1.0,
        1.0,
    ),
    "several processes": (
        ("--max_in_flight", "1", "--direct_num_workers", "3", "--requests_per_minute", "15"),
        2.0,
        30 * 0.1 / 3 / 60,
    ),
}


@pytest.mark.parametrize(("flags", "at_quota", "without"), PACES.values(), ids=PACES)
def test_minutes_follow_from_quota_calls_in_flight_and_latency(
    tmp_path: Path, flags: tuple[str, ...], at_quota: float | None, without: float
) -> None:
    found = estimate(an_archive(tmp_path, *VARIED[:30]), tmp_path / "out", *flags)
    assert found["calls"] == 30
    assert found["minutes_at_quota"] == pytest.approx(at_quota)
    assert found["minutes_without_quota"] == pytest.approx(without)


def test_an_unreadable_file_is_reported_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise OSError("it is on fire")

    monkeypatch.setattr("groundwatch.pipeline.storage.read", refuse)
    assert main(["estimate", "--input", str(an_archive(tmp_path, *VARIED))]) == 1
    assert capsys.readouterr().err.endswith("answers.jsonl: it is on fire\n")
