"""Standard streams: closed ones, and a file that is written to standard output."""

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope
from tests.support.builders import an_enriched
from tests.support.commands import GROUNDWATCH, redirected, start
from tests.support.outputs import records_in
from tests.support.reports import write_enriched
from tests.support.runs import an_archive


def run(*arguments: str, streams: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run a command whose streams are redirected."""
    command = redirected(streams, *GROUNDWATCH, *arguments)
    return subprocess.run(command, capture_output=True, check=False, timeout=300)  # noqa: S603 - ours


def test_a_run_with_closed_streams_is_complete(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, *map(an_envelope, range(3)))
    output, closed = tmp_path / "out", "<&- >&- 2>&-"
    ended = run("backfill", "--input", str(archive), "--output", str(output), streams=closed)
    assert ended.returncode == 0
    assert len(list(records_in(output))) == 3
    assert main(["verify", str(output)]) == 0


def test_standard_input_that_is_closed_is_empty(tmp_path: Path) -> None:
    ended = run("backfill", "--input", "-", "--output", str(tmp_path / "out"), streams="<&-")
    assert ended.returncode == 1
    assert b"nothing in the input could be read" in ended.stderr
    assert b"Traceback" not in ended.stderr


FALSE = "Kettles vote in Senegal."


@pytest.mark.parametrize("arguments", [(), ("--format", "json")])
def test_a_reader_that_ends_does_not_change_the_verdict(arguments: tuple[str, ...]) -> None:
    given = "check", "--answer", FALSE, "--fact", "Lamps glow.", *arguments
    assert run_without_reader(*given) == (4, "")


def test_a_reader_that_ends_does_not_change_a_gate(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1, answer=FALSE)), tmp_path / "out"
    given = "--input", str(archive), "--output", str(output), "--fail_above", "0"
    ended, errors = run_without_reader("backfill", *given)
    assert (ended, "--fail_above" in errors) == (4, True)
    assert len(list(records_in(output))) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_below_standard_output_is_named() -> None:
    ended = run("check", "--answer", FALSE, "--fact", "Lamps glow.", streams=">/dev/full")
    assert ended.returncode == 1
    [line] = ended.stderr.decode().splitlines()
    assert line.startswith("groundwatch: standard output cannot be written: [Errno 28] No space")


def run_without_reader(*arguments: str) -> tuple[int, str]:
    """Run a command whose output nobody reads; return its exit status and its errors."""
    with start(*GROUNDWATCH, *arguments) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        errors = process.stderr.read()
        return process.wait(60), errors


@pytest.fixture
def output(tmp_path: Path) -> str:
    write_enriched(tmp_path / "out", [an_enriched(record_id=f"r{n}") for n in range(3)])
    return str(tmp_path / "out")


Written = Callable[..., bytes]


@pytest.fixture
def written(capfdbinary: pytest.CaptureFixture[bytes]) -> Written:
    """Run a command; returns what it wrote to standard output."""

    def run(*arguments: str) -> bytes:
        capfdbinary.readouterr()
        assert main([*arguments]) == 0
        return capfdbinary.readouterr().out

    return run


def test_tables_and_pages_can_be_piped(output: str, written: Written) -> None:
    lines = written("export", output, "--to", "csv", "--output", "-").splitlines()
    assert [line.partition(b",")[0] for line in lines[1:]] == [b"r0", b"r1", b"r2"]
    # A pipe, which cannot be wound back.
    table = run("export", output, "--to", "parquet", "--output", "-").stdout
    assert pq.read_table(io.BytesIO(table)).num_rows == 3
    page = written("report", output, "--output", "-")
    assert page.startswith(b"<!doctype html>")
    assert page.rstrip().endswith(b"</html>")


def test_results_and_thresholds_can_be_piped(tmp_path: Path, written: Written) -> None:
    supported, false = "Lamps glow red at night.", "Kettles vote in Senegal."
    texts = [supported, false] * 10
    archive = an_archive(
        tmp_path, *(an_envelope(n, answer=text, facts=[supported]) for n, text in enumerate(texts))
    )
    gold = tmp_path / "gold.jsonl"
    lines = ({"name": f"answer-{n}", "hallucinated": t == false} for n, t in enumerate(texts))
    gold.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = ("--answers", str(archive), "--gold", str(gold), "--resamples", "20", "--output", "-")
    assert json.loads(written("evaluate", *given))["counts"]["labelled"] == len(texts)
    thresholds = yaml.safe_load(written("calibrate", *given, "--recall", "0.5"))
    assert sorted(thresholds) == ["claim_threshold", "low_grounded_threshold"]
