"""Backfills from buckets into buckets: complete, or with an error in one sentence."""

import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.sources.compression import zstd
from tests.support import commands
from tests.support.archives import an_envelope, avro_of, lines_of
from tests.support.buckets import Buckets, Trouble, when
from tests.support.commands import WITHOUT_EXTRAS
from tests.support.outputs import records_in
from tests.support.runs import an_archive, backfill
from tests.support.storage_server import storage_server

DAYS = {
    "2026-03-02/answers.jsonl": bytes,
    "2026-03-02/answers.jsonl.gz": gzip.compress,
    "2026-03-03/more/answers.jsonl.zst": zstd.compress,
}
LINES = {
    name: [
        an_envelope(number, id=f"{name} {number}", time=f"{name[:10]}T08:00:00Z")
        for number in range(20)
    ]
    for name in (*DAYS, "2026-03-04.avro")
}
INPUTS = ("gs://in/days/**/*.jsonl*", "gs://in/days/*.avro")


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Buckets]:
    """An archive of four files in a bucket, and another bucket to write to."""
    with storage_server(monkeypatch) as buckets:
        for name, pack in DAYS.items():
            buckets.put(f"gs://in/days/{name}", pack(lines_of(*LINES[name])))
        rows = [{"data": line} for line in LINES["2026-03-04.avro"]]
        buckets.put("gs://in/days/2026-03-04.avro", avro_of(rows, ("data", "bytes")))
        buckets.put("gs://out/other/report.html", b"somebody else's")
        yield buckets


def test_buckets_need_no_extra(buckets: Buckets, tmp_path: Path) -> None:
    program = f"{WITHOUT_EXTRAS}\nfrom groundwatch.launch.cli.main import main\n"
    program += "sys.exit(main(sys.argv[1:]))"
    flags = ("--input", *INPUTS, "--output", "gs://out/run", "--work_folder", f"{tmp_path}/w")
    status, _, complained = commands.run("-c", program, "backfill", *flags)
    assert (status, complained) == (0, "")
    assert len(records_in_bucket(buckets)) == len(LINES) * 20


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., int]:
    """A backfill from the one bucket into the other."""

    def run(*flags: str) -> int:
        places = ["--input", *INPUTS, "--output", "gs://out/run", "--work_folder", f"{tmp_path}/w"]
        return main(["backfill", *places, *flags])

    return run


def records_in_bucket(buckets: Buckets) -> dict[str, Any]:
    rows = [
        row
        for name, content in buckets.below("gs://out/run/enriched/").items()
        for row in fastavro.reader(io.BytesIO(content))
    ]
    assert len({row["record_id"] for row in rows}) == len(rows)
    return {row["record_id"]: row | {"check": None} for row in rows}


def records_on_disk(folder: Path) -> dict[str, Any]:
    """What a run over the same answers on disk writes."""
    archive = an_archive(folder, *(line for lines in LINES.values() for line in lines))
    assert backfill(archive, folder / "local") == 0
    return {row["record_id"]: row | {"check": None} for row in records_in(folder / "local")}


def summary_of(buckets: Buckets) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(buckets.below("gs://out/run/")["summary.json"])
    return summary


def test_a_run_from_bucket_to_bucket_writes_what_one_on_disk_does(
    buckets: Buckets, run: Callable[..., int], tmp_path: Path
) -> None:
    expected = records_on_disk(tmp_path)
    for _ in range(2):
        assert run("--run_id", "r") == 0
        assert records_in_bucket(buckets) == expected
    [identity] = {run["journal"] for run in summary_of(buckets)["runs"]}
    own = re.compile(rf"/r-{identity}-00000\d\.")
    assert [own.sub("/OWN.", name) for name in buckets.below("gs://out/")] == [
        "other/report.html",
        "run/enriched/event_date=2026-03-02/OWN.avro",
        "run/enriched/event_date=2026-03-03/OWN.avro",
        "run/enriched/event_date=2026-03-04/OWN.avro",
        "run/manifest/OWN.jsonl",
        "run/report.html",
        f"run/runs/r-{identity}.json",
        "run/summary.json",
    ]
    summary = summary_of(buckets)
    assert (summary["read"], summary["enriched"], summary["closes"]) == (80, 80, True)


@pytest.mark.parametrize(("action", "is_done"), [("read", False), ("upload", True)])
def test_a_call_that_fails_once_costs_nothing(
    buckets: Buckets, run: Callable[..., int], action: str, *, is_done: bool
) -> None:
    buckets.plan = when(action, "", Trouble(503, is_done=is_done), times=1)
    assert run() == 0
    assert action in {done for done, _ in buckets.requests}
    assert len(records_in_bucket(buckets)) == 80
    assert summary_of(buckets)["closes"] is True


@pytest.mark.parametrize(
    ("action", "part", "status", "named"),
    [
        ("upload", ".avro", 503, "gs://out/run/enriched/event_date="),
        ("begin", ".avro", 403, "gs://out/run/enriched/event_date="),
        ("begin", "manifest", 403, "gs://out/run/manifest/"),
        ("upload", "summary", 503, "gs://out/run/summary.json"),
        ("read", "2026-03-04.avro", 503, "gs://in/days/2026-03-04.avro"),
        ("read", ".gz", 403, "gs://in/days/2026-03-02/answers.jsonl.gz"),
    ],
)
def test_a_call_that_keeps_failing_ends_the_run_which_names_the_file_and_can_be_finished(
    buckets: Buckets,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    *,
    action: str,
    part: str,
    status: int,
    named: str,
) -> None:
    buckets.plan = when(action, part, Trouble(status))
    assert run() == 1
    screen = capsys.readouterr()
    assert screen.err.startswith("groundwatch: the run failed: cannot ")
    assert named in screen.err
    assert f": {status} refused by the test\n" in screen.err
    assert screen.err.count("\n") == 1
    assert screen.out == ""
    has_summary = "summary.json" in buckets.below("gs://out/run/")
    assert not has_summary or summary_of(buckets)["unfinished"] is True
    buckets.plan = lambda _: None
    assert run() == 0
    assert len(records_in_bucket(buckets)) == 80
    assert summary_of(buckets)["unfinished"] is False


@pytest.mark.parametrize(
    ("action", "part", "complaint"),
    [
        ("list", "gs://in/", "--input gs://in/days/**/*.jsonl*: cannot list"),
        ("begin", "probe", "--output gs://out/run: cannot be written to"),
    ],
)
def test_a_bucket_that_lets_nobody_in_is_reported_before_the_run(
    buckets: Buckets,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    *,
    action: str,
    part: str,
    complaint: str,
) -> None:
    buckets.plan = when(action, part, Trouble(403))
    assert run() == 2
    screen = capsys.readouterr().err
    assert complaint in screen
    assert "403 refused by the test" in screen
    assert "Traceback" not in screen
    assert buckets.below("gs://out/run/") == {}


def test_an_archive_that_is_cut_in_its_bucket_is_reported(
    buckets: Buckets, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    path = "gs://in/days/2026-03-02/answers.jsonl.gz"
    buckets.put(path, buckets.below(path)[""][:-20])
    assert run() == 1
    assert "damaged archives: 1" in capsys.readouterr().err
    assert summary_of(buckets)["closes"] is True


def test_the_tables_of_a_folder_are_read_from_a_bucket(buckets: Buckets, tmp_path: Path) -> None:
    rows = [{"said": f"Lamps glow {n}.", "docs": [f"Lamps glow {n}."]} for n in range(50)]
    stream = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), stream, row_group_size=20)
    buckets.put("gs://in/tables/a.parquet", stream.getvalue())
    cells = "".join(f'{row["said"]},"{row["docs"][0]}"\n' for row in rows)
    buckets.put("gs://in/tables/deep/b.csv.gz", gzip.compress(f"said,docs\n{cells}".encode()))
    buckets.put("gs://in/tables/_SUCCESS", b"")
    paths = ["--map", "answer=$.said", "facts=$.docs[*]", "facts=$.docs"]
    places = ["--input", "gs://in/tables", "--output", str(tmp_path / "out")]
    assert main(["backfill", *places, *paths]) == 0
    records = records_in(tmp_path / "out")
    assert sorted(record["answer_text"] for record in records) == sorted(
        row["said"] for row in rows for _ in range(2)
    )
