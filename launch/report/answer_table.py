"""Write answers as CSV that a spreadsheet opens without computing a formula."""

import csv
import io
from collections.abc import Iterable, Mapping

from launch.outputs.spreadsheet_cells import Cell, guard_formula
from launch.report.counts.worst_answers import AnswerExcerpt
from schemas.quantities import to_rfc3339

COLUMNS = (
    *("record_id", "verdict", "verdict_reason", "tags", "engine", "session", "event_time"),
    *("checker", "support_score", "min_claim_score", "worst_claim", "query", "answer"),
    "answer_name",
)


def row_of(excerpt: AnswerExcerpt) -> dict[str, Cell]:
    """Make the row of an answer; its texts are as long as on the page, and absent if not kept."""
    answer = excerpt.answer
    cells: tuple[Cell, ...] = (
        *(answer.record_id, answer.verdict, answer.verdict_reason, " ".join(answer.tags)),
        *(answer.engine, answer.session, to_rfc3339(answer.event_time_us)),
        answer.check.checker if answer.check else None,
        *(answer.support_score, answer.min_claim_score),
        excerpt.lowest_text if excerpt.claims else None,
        *(part.text if part else None for part in (excerpt.query, excerpt.text)),
        answer.answer_name,
    )
    return dict(zip(COLUMNS, cells, strict=True))


def encode_csv(columns: Iterable[str], rows: Iterable[Mapping[str, Cell]]) -> bytes:
    """Encode rows as CSV, with a byte order mark by which Excel detects UTF-8."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(columns))
    writer.writeheader()
    writer.writerows({name: guard_formula(cell) for name, cell in row.items()} for row in rows)
    return stream.getvalue().encode("utf-8-sig", errors="replace")
