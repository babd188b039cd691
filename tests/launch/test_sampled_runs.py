"""Runs that look at a share of the answers: which they keep, and that their counts close."""

from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.build import build_pipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.sink import archive_sink
from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.transforms.rules.sampling import SamplingRule
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import Json, records_in, summary_in
from tests.support.pipelines import local_pipeline
from tests.support.runs import an_archive, backfill

ENGINES = ("shop", "help", "news")
ANSWERS = [an_envelope(number, engine=ENGINES[number % 3]) for number in range(90)]
DECIDED = [an_envelope(number, facts=[]) for number in range(100, 140)]
FAILING = [b"no answer", b'{"event": "page_view"}']
LINES = [*ANSWERS, *DECIDED, *ANSWERS[:20], *FAILING]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return an_archive(tmp_path, *LINES)


def ids_in(folder: Path) -> set[str]:
    return {record["record_id"] for record in records_in(folder)}


def run(archive: Path, output: Path, *shares: str) -> Json:
    assert backfill(archive, output, "--sample", *shares) == 0
    summary = summary_in(output)
    assert summary["closes"] is True
    assert (summary["read"], summary["duplicates"], summary["failures"]) == (len(LINES), 20, 2)
    assert summary["sampled_out"] == 130 - summary["enriched"]
    return summary


def test_what_is_left_out_is_counted_behind_duplicates_and_failures(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = run(archive, tmp_path / "out", "0.5")
    assert 0 < summary["sampled_out"] < 130
    screen = " ".join(capsys.readouterr().out.split())
    assert f", 20 duplicates, {summary['sampled_out']} sampled out: every" in screen


def test_a_sample_of_nothing_keeps_the_failures(tmp_path: Path, archive: Path) -> None:
    assert run(archive, tmp_path / "out", "0")["sampled_out"] == 130


def test_every_way_of_running_keeps_the_same(tmp_path: Path, archive: Path) -> None:
    run(archive, tmp_path / "out", "0.3")
    config = Config(
        inputs=(str(archive),),
        output=str(tmp_path / "other"),
        run="run",
        sampling=SamplingRule(rate=0.3),
    )
    with local_pipeline() as root:
        build_pipeline(root, ReadArchives(config.inputs), archive_sink(config), config)
    assert ids_in(tmp_path / "other") == ids_in(tmp_path / "out")


def test_a_replay_keeps_what_the_backfill_kept(tmp_path: Path) -> None:
    archive, broken = an_archive(tmp_path, *ANSWERS), tmp_path / "broken"
    assert backfill(archive, tmp_path / "direct", "--sample", "0.3") == 0
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        flags = "--checker", server.address, "--max_attempts", "1"
        assert backfill(archive, broken, "--sample", "0.3", *flags) == 3
    mended = tmp_path / "mended"
    given = "--failures", f"{broken}/failures/*.jsonl", "--output", str(mended)
    assert main(["replay", *given, "--checker", "local"]) == 0
    assert ids_in(mended) == ids_in(tmp_path / "direct")
    assert summary_in(mended)["sampled_out"] == 0
