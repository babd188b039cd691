"""How fast `groundwatch review` indexes answers and finds pages of them.

python -m tests.benchmarks.review_speed --records 1000000

Index speed is in records a second of processor time. Beside it stands the baseline, fastavro alone
reading the same files: all rows, and only the fields that the index needs by a reader's schema.
Pages are in seconds, and as a share of the time that the baseline needs for all rows.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import fastavro

from groundwatch.launch.quality.evaluate.strata import Stratum
from groundwatch.launch.quality.review.answer_index import AnswerIndex, Query
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.avro_rows import enriched_to_avro
from tests.support.builders import NOON_US, a_check, a_claim, a_fact, an_enriched

_ROWS_A_FILE = 100_000
_CLAIM = "Lamps glow red in the evening hours of every working day."
_CLAIMS = 5
_FACTS = 5
_WORDS = 50
_STEMS = ("lamp", "kettle", "tariff", "hub", "dial", "valve", "tablet", "price", "order", "refund")
_ENDINGS = ("", "s", "ing", "ed", "ful", "ly", "al", "er", "ish", "ness", "able", "less")
_VOCABULARY = ["".join(each) for each in product(_STEMS, _ENDINGS)]
_NEEDED = {
    *("record_id", "engine", "event_time", "query", "answer_text", "verdict", "verdict_reason"),
    *("tags", "support_score", "min_claim_score", "facts"),
}
_SOURCE = {"document", "uri"}
# A made id ends with its number; the zeros before it are replaced by the number of its file.
_ID_ZEROS = b"0" * 50


def _made_rows(records: int) -> Iterator[dict[str, Any]]:
    """Make rows of enriched files, the same each time."""
    chance = random.Random(7)  # noqa: S311 - no secrets
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


def _write(folder: Path, records: int) -> int:
    """Write files that have the same answers under other ids; return how many answers."""
    chance = random.Random(3)  # noqa: S311 - the same words each time
    root = folder / "enriched" / "event_date=2026-03-03"
    root.mkdir(parents=True)
    schema = fastavro.parse_schema(load_schema("enriched_answer"))

    def rows() -> Iterator[dict[str, Any]]:
        for row in _made_rows(min(records, _ROWS_A_FILE)):
            yield row | {"answer_text": " ".join(chance.choices(_VOCABULARY, k=_WORDS))}

    first = root / "run-00000.avro"
    with first.open("wb") as stream:
        fastavro.writer(stream, schema, rows(), codec="null")
    data = first.read_bytes()
    shards = max(1, records // _ROWS_A_FILE)
    for shard in range(1, shards):
        content = data.replace(_ID_ZEROS, b"%050d" % shard)
        (root / f"run-{shard:05d}.avro").write_bytes(content)
    return shards * min(records, _ROWS_A_FILE)


def _needed_fields() -> dict[str, Any]:
    schema = load_schema("enriched_answer")
    schema["fields"] = [field for field in schema["fields"] if field["name"] in _NEEDED]
    facts = next(field for field in schema["fields"] if field["name"] == "facts")["type"]["items"]
    facts["fields"] = [field for field in facts["fields"] if field["name"] in _SOURCE]
    return schema


def _read(folder: Path, schema: dict[str, Any] | None) -> None:
    for path in folder.rglob("*.avro"):
        with path.open("rb") as stream:
            for _ in fastavro.reader(stream, schema):
                pass


def _processor_s(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _fastest_s(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def _requests(index: AnswerIndex) -> dict[str, Callable[[], object]]:
    last = index.page(Query(), 0).pages - 1
    record_id = index.page(Query(), last // 2).record_ids[0]
    return {
        "first page": partial(index.page, Query(), 0),
        "middle page": partial(index.page, Query(), last // 2),
        "last page": partial(index.page, Query(), last),
        "unlabelled": partial(index.page, Query(labelled="none"), 0),
        "one word": partial(index.page, Query(words="kettleish"), 0),
        "three words": partial(index.page, Query(words="kettleish lamps refunder"), 0),
        "next answer": partial(index.neighbour, Query(), record_id, is_next=True),
        "drawn answer": partial(index.draw, Stratum.NEAR),
    }


def main(arguments: list[str] | None = None) -> None:
    """Print the speed of the index and the time of each kind of page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    asked = parser.parse_args(arguments).records
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = _write(folder, asked)
        whole_s = _processor_s(partial(_read, folder, None))
        needed_s = _processor_s(partial(_read, folder, _needed_fields()))
        with closing(AnswerIndex({name: Thresholds()}, folder / "cache")) as index:
            index_s = _processor_s(index.add_new_files)
            sys.stdout.write(
                f"{records:,} records; in a second of processor time"
                f" fastavro alone {records / whole_s:,.0f}, with only the needed fields"
                f" {records / needed_s:,.0f}, index {records / index_s:,.0f}"
                f" ({index_s / whole_s:.2f} times as long as fastavro alone)\n"
            )
            for title, request in _requests(index).items():
                taken_s = _fastest_s(request)
                sys.stdout.write(f"{title}: {taken_s:.4f} s, {taken_s / whole_s:.3%} of reading\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
