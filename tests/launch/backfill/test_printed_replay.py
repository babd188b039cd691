"""The next command that a run prints: pasted into a shell, it does what the run would have done."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.transforms.grounding.settings import RetrySettings
from tests.support.archives import an_envelope, an_unsupported_envelope, lines_of
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.fault_server import Changing, FaultServer, always, by_answer
from tests.support.limits import limited
from tests.support.outputs import Json, failures_in, records_in, summary_in
from tests.support.repository import ROOT, python_path
from tests.support.runs import an_archive, backfill
from tests.support.storage_server import storage_server
from tests.support.waiting import signal_when
from tests.support.watched import ANSWERS, SUBSCRIPTION
from tests.support.wire_faults import good, status

AWAY = status(503, "UNAVAILABLE")
ENVELOPES = [
    *(an_envelope(number, answer=f"Lamp {number} glows red at night.") for number in range(6)),
    *(an_unsupported_envelope(number) for number in range(10, 14)),
]
OWN = [
    json.dumps({"reply": f"Lamp {number} glows.", "pages": [{"text": "Lamps glow red."}]}).encode()
    for number in range(6)
]
PAIR = "--escalate", "{server}", "--escalate_share", "0.5", "--escalate_below", "0.9"
CHECKED = "--checker", "{server}"
RUNS: dict[str, tuple[list[bytes], tuple[str, ...]]] = {
    "a map": (OWN, (*CHECKED, "--map", "answer=$.reply", 'facts=$["pages"][*].text')),
    "a file of settings": (ENVELOPES, (*CHECKED, "--config", "{folder}/settings.yaml")),
    "two checkers": (ENVELOPES, PAIR),
    "without texts": (ENVELOPES, (*CHECKED, "--text", "none")),
    "a sample": (ENVELOPES, (*CHECKED, "--sample", "0.5")),
    "thresholds and alerts": (
        ENVELOPES,
        (*CHECKED, "--claim_threshold", "0.9", "shop=0.8", "--alert_verdicts", "GROUNDED"),
    ),
    "a folder with signs of globs and shells": (ENVELOPES, (*CHECKED, "--run_id", "r1")),
}


@pytest.fixture
def server() -> Iterator[tuple[FaultServer, Changing]]:
    """A checker, and how it replies: it is away."""
    reply = Changing(AWAY)
    with FaultServer(always(reply)) as checker:
        yield checker, reply


def paste(printed: str, folder: Path) -> int:
    """Run the last command that was printed, as a shell runs it; returns its exit status."""
    line = re.findall(r"^ +(groundwatch .*)$", printed, re.MULTILINE)[-1]
    program = folder / "bin" / "groundwatch"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m groundwatch "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    variables = os.environ | {"PATH": path, "PYTHONPATH": python_path(ROOT)}
    ended = subprocess.run(["/bin/sh", "-c", line], env=variables, cwd=folder, check=False)  # noqa: S603
    return ended.returncode


def without_times(rows: list[Json]) -> list[Json]:
    """Records, without when they were made and how long a call took."""
    varying = {"processed_at", "check"}
    kept = [{name: row[name] for name in row.keys() - varying} for row in rows]
    return sorted(kept, key=lambda row: str(row["record_id"]))


@pytest.mark.parametrize("name", RUNS)
def test_the_printed_replay_gives_what_the_run_would_have_given(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    server: tuple[FaultServer, Changing],
    name: str,
) -> None:
    checker, reply = server
    lines, given = RUNS[name]
    flags = [each.format(server=checker.address, folder=tmp_path) for each in given]
    flags += ["--max_attempts", "1"]
    (tmp_path / "settings.yaml").write_text("text: hash\nclaim_threshold: {shop: 0.9}\n")
    archive, output = an_archive(tmp_path, *lines), tmp_path / "o $[1] 'u't"
    assert backfill(archive, output, *flags) == 3
    reply.reply = good
    assert paste(capfd.readouterr().out, tmp_path) == 0
    assert backfill(archive, tmp_path / "expected", *flags) == 0
    assert without_times(records_in(output)) == without_times(records_in(tmp_path / "expected"))
    assert not failures_in(output)
    assert summary_in(output)["checker"] == summary_in(tmp_path / "expected")["checker"]
    assert main(["verify", str(output)]) == 0


@pytest.mark.parametrize("name", ["a map", "without texts", "thresholds and alerts"])
def test_the_documented_replay_gives_what_a_worker_would_have_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lines, given = RUNS[name]
    reply = Changing(status(403, "No"))
    refused = [f"Lamp {n} glows{more}." for n in range(3) for more in ("", " red at night")]
    output = tmp_path / "o $[1] 'u't"
    with FaultServer(by_answer(dict.fromkeys(refused, reply))) as checker, FakePubSub() as pubsub:
        flags = [each.format(server=checker.address) for each in given]
        pubsub.create(ANSWERS, SUBSCRIPTION)
        pubsub.publish(ANSWERS, lines)
        signal_when(lambda: not pubsub.counts(SUBSCRIPTION).outstanding)
        place = "--subscription", SUBSCRIPTION, "--pubsub_address", pubsub.address
        assert main(["watch", *place, "--output", str(output), *flags]) == 0
        assert len(failures_in(output)) == 3
        reply.reply = good
        page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
        [documented] = re.findall(r"`(groundwatch replay --failures OUT/failures/ .*)`", page)
        assert paste(f"  {documented.replace('OUT', shlex.quote(str(output)))}", tmp_path) == 0
        assert backfill(an_archive(tmp_path, *lines), tmp_path / "expected", *flags) == 0
    assert verdicts_in(output) == verdicts_in(tmp_path / "expected")
    assert (failures_in(output), summary_in(output)["failures"]) == ([], 0)
    assert main(["verify", str(output)]) == 0


def verdicts_in(output: Path) -> list[str]:
    """What is the same of an answer that was read elsewhere."""
    names = "answer_text", "query", "verdict", "verdict_reason", "support_score", "tags"
    return sorted(str([record[name] for name in names]) for record in records_in(output))


def test_a_replay_of_a_replay_has_the_settings_of_the_first_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], server: tuple[FaultServer, Changing]
) -> None:
    checker, reply = server
    archive, output = an_archive(tmp_path, *OWN), tmp_path / "out"
    mapped = "--map", "answer=$.reply", "facts=$.pages[*].text"
    flags = "--checker", checker.address, "--max_attempts", "1", "--text", "none"
    assert backfill(archive, output, *mapped, *flags) == 3
    assert paste(capfd.readouterr().out, tmp_path) == 3
    reply.reply = good
    again = capfd.readouterr()
    assert "settings of the failures' run: --checker http://" in again.err
    assert paste(again.out, tmp_path) == 0
    assert {record["answer_text"] for record in records_in(output)} == {""}
    assert summary_in(output)["checker"] == checker.address
    # What has ended is shown, and not run again.
    assert paste(again.out, tmp_path) == 0
    assert "nothing was checked or written" in capfd.readouterr().err


def test_the_printed_replay_works_in_a_bucket(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    server: tuple[FaultServer, Changing],
) -> None:
    checker, reply = server
    monkeypatch.setenv("HOME", str(tmp_path))
    flags = "--output", "gs://out/run", "--checker", checker.address, "--max_attempts", "1"
    with storage_server(monkeypatch) as buckets:
        buckets.put("gs://in/answers.jsonl", lines_of(*ENVELOPES))
        assert main(["backfill", "--input", "gs://in/answers.jsonl", *flags]) == 3
        reply.reply = good
        assert paste(capfd.readouterr().out, tmp_path) == 0
        summary = json.loads(buckets.below("gs://out/run/")["summary.json"])
    assert (summary["enriched"], summary["failures"]) == (len(ENVELOPES), 0)
    assert summary["checker"] == checker.address


def test_a_demo_prints_a_replay_with_its_checker(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], server: tuple[FaultServer, Changing]
) -> None:
    checker, reply = server
    output = tmp_path / "out"
    with limited(retries=RetrySettings(max_attempts=1)):
        assert main(["demo", "--output", str(output), "--checker", checker.address]) == 3
    reply.reply = good
    assert paste(capfd.readouterr().out, tmp_path) == 0
    assert summary_in(output)["checker"] == checker.address
    assert not summary_in(output)["retryable_failures"]


def test_a_run_whose_failures_have_no_message_prints_no_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: tuple[FaultServer, Changing]
) -> None:
    flags = "--checker", server[0].address, "--max_attempts", "1", "--failure_payload", "none"
    assert backfill(an_archive(tmp_path, *ENVELOPES), tmp_path / "out", *flags) == 3
    printed = capsys.readouterr().out
    assert "--failure_payload none keeps no message to replay" in printed
    assert "groundwatch replay" not in printed


def replay(output: Path, *flags: str) -> int:
    failures = f"{output}/failures/*.jsonl"
    return main(["replay", "--failures", failures, "--output", str(output), *flags])


def test_a_flag_and_no_variable_overrides_a_setting_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: tuple[FaultServer, Changing]
) -> None:
    output = tmp_path / "out"
    flags = "--checker", server[0].address, "--max_attempts", "1", "--text", "none"
    assert backfill(an_archive(tmp_path, *ENVELOPES), output, *flags) == 3
    monkeypatch.setenv("GROUNDWATCH_TEXT", "full")
    assert replay(output, "--checker", "local") == 0
    assert {record["answer_text"] for record in records_in(output)} == {""}
    assert summary_in(output)["checker"] == "local+small"


def test_failures_of_runs_with_different_settings_are_not_replayed_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: tuple[FaultServer, Changing]
) -> None:
    output = tmp_path / "out"
    flags = "--checker", server[0].address, "--max_attempts", "1"
    for name, more in (("first", ()), ("second", ("--text", "none"))):
        archive = an_archive(tmp_path, *ENVELOPES, name=f"{name}.jsonl")
        assert backfill(archive, output, *flags, *more) == 3
    assert replay(output) == 2
    sentence = "--failures: their runs have different settings of --text: give --text, or the"
    assert sentence in capsys.readouterr().err
    assert replay(output, "--text", "none", "--checker", "local") == 0


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_replay_that_can_read_nothing_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_noted: bool
) -> None:
    output = tmp_path / "out"
    assert backfill(an_archive(tmp_path, b"no answer", *ENVELOPES), output) == 0
    if not is_noted:  # as by an earlier release
        shutil.rmtree(output / "runs")
    capsys.readouterr()
    assert replay(output) == 1
    complained = capsys.readouterr().err
    assert "is not JSON" in complained
    assert ("settings of a run of these failures are unknown" in complained) is not is_noted
