"""How long a report takes, and in how much memory, by the number of records.

python -m tests.benchmarks.report_speed --records 100000

Each report is made by a process of its own, whose greatest resident set is taken. Beside it stands
what reading alone takes: whole rows, and only the counted fields by a reader's schema.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.verdict import Verdict
from tests.support.avro_rows import enriched_to_avro
from tests.support.builders import NOON_US, a_check, a_claim, a_fact, an_enriched

_CLAIM = "Lamps glow red in the evening hours of every working day."
_FACTS = 5
_CLAIMS = 5
_ROWS_A_FILE = 100_000


def made_rows(records: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)  # noqa: S311 - the same rows each time
    for number in range(records):
        yield _row(number, chance)


def _row(number: int, chance: random.Random) -> dict[str, Any]:
    scores = [chance.random() ** 0.3 for _ in range(_CLAIMS)]
    is_low = min(scores) < 0.4
    claims = [a_claim(_CLAIM, 58 * place, score=score) for place, score in enumerate(scores)]
    enriched = an_enriched(
        record_id=f"{number:064x}",
        session=f"session-{number}",
        engine=f"engine-{number % 7}",
        event_time_us=NOON_US + number * HOUR_US // 500,
        answer_text=" ".join([_CLAIM] * _CLAIMS),
        verdict=Verdict.LOW_GROUNDED if is_low else Verdict.GROUNDED,
        verdict_reason="CLAIM_SCORE" if is_low else "ABOVE_THRESHOLDS",
        support_score=sum(scores) / _CLAIMS,
        min_claim_score=min(scores),
        claims=tuple(claims),
        facts=tuple(
            a_fact(_CLAIM * 5, document=f"documents/{chance.randrange(3_000)}", title="Lamps")
            for _ in range(_FACTS)
        ),
        check=a_check(latency_ms=int(chance.expovariate(1 / 120))),
    )
    return enriched_to_avro(enriched)


def _write(folder: Path, records: int) -> None:
    schema = fastavro.parse_schema(load_schema("enriched_answer"))
    rows = made_rows(records)
    for shard in range(-(-records // _ROWS_A_FILE)):
        path = folder / "enriched" / "event_date=2026-03-03" / f"run-{shard:05d}.avro"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = (row for row, _ in zip(rows, range(_ROWS_A_FILE), strict=False))
        with path.open("wb") as stream:
            fastavro.writer(stream, schema, part, codec="deflate", codec_compression_level=1)


def _report(folder: Path) -> tuple[float, float]:
    """Make a report: seconds, and megabytes of the process at its greatest."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "groundwatch", "report", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - our own source
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("the report failed")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def _seconds_to_read(folder: Path, schema: dict[str, Any] | None) -> float:
    started = time.perf_counter()
    for path in sorted(folder.rglob("*.avro")):
        with path.open("rb") as stream:
            for _ in fastavro.reader(stream, schema):
                pass
    return time.perf_counter() - started


def _counted_fields() -> dict[str, Any]:
    """The schema without the texts, the claims and what else is not counted."""
    schema = load_schema("enriched_answer")
    uncounted = {"query", "answer_text", "claims", "safety_ratings", "source_format"}
    schema["fields"] = [field for field in schema["fields"] if field["name"] not in uncounted]
    for field in schema["fields"]:
        if field["name"] == "facts":
            fact = field["type"]["items"]
            names = {"uri", "title", "document"}
            fact["fields"] = [inner for inner in fact["fields"] if inner["name"] in names]
    return schema


def main(arguments: list[str] | None = None) -> None:
    """Print seconds and memory for the records asked for, and for a tenth of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    most = parser.parse_args(arguments).records
    for records in (most // 10, most):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _write(folder, records)
            seconds, megabytes = _report(folder)
            whole = _seconds_to_read(folder, None)
            projected = _seconds_to_read(folder, _counted_fields())
        sys.stdout.write(
            f"{records:,} records: {seconds:.1f} s, {megabytes:.0f} MB;"
            f" reading whole rows {whole:.1f} s, the counted fields alone {projected:.1f} s\n"
        )


if __name__ == "__main__":
    main()
