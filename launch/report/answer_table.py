"""Write answers as CSV that a spreadsheet opens without computing a formula."""

import csv
import io
from collections.abc import Iterable, Mapping

from launch.report.counts.worst_answers import AnswerExcerpt
from schemas.quantities import to_rfc3339

COLUMNS = (
    *("record_id", "verdict", "verdict_reason", "tags", "engine", "session", "event_time"),
    *("checker", "support_score", "min_claim_score", "worst_claim", "query", "answer"),
    "answer_name",
)

# A spreadsheet runs a cell that begins so as a formula, also in full width and behind white space.
# Source: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
_BEFORE_FORMULAS = tuple("\t\r\n")

Cell = str | float | None


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


def guard_formula(cell: Cell) -> Cell:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    if not isinstance(cell, str):
        return cell
    is_formula = cell.startswith(_BEFORE_FORMULAS) or cell.lstrip().startswith(_FORMULA_SIGNS)
    return f"'{cell}" if is_formula else cell
