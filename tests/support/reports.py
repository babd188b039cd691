"""Output folders for the report: a few records written as a run writes them."""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import fastavro
import msgspec

from groundwatch.launch.results.report.counts.tally import Findings
from groundwatch.launch.results.report.write_report import read_output
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.quantities import EPOCH
from groundwatch.schemas.verdict import Verdict
from tests.support.avro_rows import enriched_to_avro
from tests.support.builders import a_claim, a_fact, a_screen, an_enriched

RIGHT_TO_LEFT = "\u202egnihtyreve sesrever\u202c"
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
BREAKOUT = "</style></title></svg></details>--><!--<base href='https://evil.example/'>{{ 7 * 7 }}"
CONTROLS = "nul \x00 bell \x07 escape \x1b[31m next \x85 line \u2028 mark \ufeff"
WORD = "w" * 100_000


def row_of(enriched: EnrichedAnswer) -> AnswerRow:
    """A row of the enriched files."""
    row = enriched_to_avro(enriched)
    if row["event_time"] is not None:
        row["event_time"] = EPOCH + timedelta(microseconds=row["event_time"])
    return msgspec.convert(row, AnswerRow)


def a_low(text: str = "Lamps glow. Kettles vote.", **fields: Any) -> EnrichedAnswer:
    """A low-grounded answer: its first sentence is supported, the rest is not."""
    head, _, tail = text.partition(" ")
    first = a_claim(head, score=0.9, citations=(0,), citation_starts=(0,))
    second = a_claim(tail, len(head.encode()) + 1, score=0.1)
    given: dict[str, Any] = {
        "answer_text": text,
        "verdict": Verdict.LOW_GROUNDED,
        "verdict_reason": "CLAIM_SCORE",
        "support_score": 0.5,
        "min_claim_score": 0.1,
        "claims": (first, second),
        "tags": ("UNSUPPORTED_CLAIM",),
    }
    return an_enriched(**given | fields)


def hostile_answers() -> list[EnrichedAnswer]:
    """Answers that try to be more than text, everywhere untrusted text is shown."""
    texts = [SCRIPT, BREAKOUT, RIGHT_TO_LEFT, CONTROLS, WORD]
    return [
        a_low(
            f"Lamps {text}",
            record_id=f"{number:064x}",
            query=text,
            engine=text,
            session=text,
            answer_name=text,
            skip_reasons=(text,),
            tags=(text,),
            verdict_reason="CLAIM_SCORE",
            mismatches=(
                Contradiction(claim=1, kind="NAME", claim_value=text, fact_value=text, fact=0),
                Contradiction(claim=0, kind="NUMBER", claim_value=text),
            ),
            facts=(a_fact(text, uri=text, title=text, document=f"{number}{text}"),),
            screen=a_screen(verdict=text, verdict_reason=text, checker=text, revision=text),
        )
        for number, text in enumerate(texts)
    ]


def write_enriched(folder: Path, answers: Sequence[EnrichedAnswer], run: str = "run") -> Path:
    """Write answers as a run does, into one file; return its path."""
    path = folder / "enriched" / "event_date=2026-03-03" / f"{run}-batch-0-00000.avro"
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as stream:
        schema = fastavro.parse_schema(load_schema("enriched_answer"))
        fastavro.writer(stream, schema, map(enriched_to_avro, answers), codec="deflate")
    return unfinished.replace(path)


def write_lines(folder: Path, kind: str, *objects: dict[str, Any]) -> Path:
    """Write alerts or failures; return the path."""
    path = folder / kind / "run-batch-0-00000.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")
    return path


def write_summary(folder: Path, **fields: Any) -> None:
    """Write a summary whose counts close, unless the fields say otherwise."""
    (folder / "summary.json").write_text(
        json.dumps({"run": "run", "checker": "local", "closes": True} | fields), encoding="utf-8"
    )


def findings_in(folder: Path) -> Findings:
    """Read a folder, with the default thresholds."""
    return read_output(find_files(str(folder)), {})
