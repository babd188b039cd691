"""Compare the records of two output folders."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any

from groundwatch.launch.results.report.counts.comparison import (
    NO_PAIRS,
    ChangedAnswer,
    Comparison,
    PairCounts,
    Scores,
)
from groundwatch.launch.results.report.counts.excerpts import AnswerExcerpt, cut_answer
from groundwatch.launch.results.report.counts.untrusted_names import cut_name
from groundwatch.launch.results.report.page.page import render_comparison
from groundwatch.launch.results.report.write_report import read_output
from groundwatch.pipeline.sources.output_folder import OutputFiles, UnreadableFile, read_answers
from groundwatch.schemas.enriched_answer import AnswerRow

_MAX_ENGINES = 20
_TABLES = """
PRAGMA cache_size = -32768;
CREATE TABLE answers (
    is_after INTEGER, record_id TEXT, engine TEXT, verdict TEXT, support REAL, claim REAL,
    PRIMARY KEY (is_after, record_id)
) WITHOUT ROWID;
CREATE VIEW pairs AS
SELECT
    b.record_id, a.engine,
    b.verdict AS verdict, b.support AS support, b.claim AS claim, a.verdict AS verdict_after,
    a.verdict <> b.verdict AS is_changed,
    (a.verdict = 'LOW_GROUNDED') - (b.verdict = 'LOW_GROUNDED') AS became_low,
    a.support - b.support AS support_change, a.claim - b.claim AS claim_change
FROM answers b JOIN answers a ON a.record_id = b.record_id
WHERE b.is_after = 0 AND a.is_after = 1;
"""
_COUNTS = """
SELECT
    CASE WHEN ? THEN engine END, COUNT(*),
    SUM(is_changed), SUM(became_low > 0), SUM(became_low < 0),
    AVG(support_change), AVG(claim_change)
FROM pairs GROUP BY 1 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?
"""
_WORST_CHANGES = """
SELECT record_id, verdict, support, claim FROM pairs WHERE is_changed
ORDER BY became_low DESC, claim_change, support_change, record_id LIMIT ?
"""
_ONLY_IN_ONE = """
SELECT COUNT(*) FROM answers a WHERE is_after = ? AND NOT EXISTS (
    SELECT 1 FROM answers b WHERE b.is_after = 1 - a.is_after AND b.record_id = a.record_id
)
"""


def compare_folders(
    folders: Sequence[str],
    files: Sequence[OutputFiles],
    shown: int,
    url_template: str | None = None,
) -> tuple[str, tuple[str, ...]]:
    """Return the page, and why files are unreadable."""
    try:
        comparison = _compare(files, shown)
    except sqlite3.Error as error:
        raise OSError(f"cannot pair the records in a temporary file: {error}") from None
    return (
        render_comparison(comparison, folders, url_template),
        comparison.before.unreadable + comparison.after.unreadable,
    )


def _compare(files: Sequence[OutputFiles], shown: int) -> Comparison:
    with closing(PairedAnswers()) as pairs:
        before, after = (
            read_output(each, {}, shown=1, also_add=partial(pairs.add, is_after=bool(is_after)))
            for is_after, each in enumerate(files)
        )
        scores = pairs.worst_changes(shown)
        excerpts = dict(_excerpts(files[1], scores)) if scores else {}
        return Comparison(
            before=before,
            after=after,
            total=pairs.total(),
            changes=pairs.changes(),
            engines=pairs.engines(_MAX_ENGINES),
            only_before=pairs.only_in(is_after=False),
            only_after=pairs.only_in(is_after=True),
            answers=[
                ChangedAnswer(each, excerpts[key])
                for key, each in scores.items()
                if key in excerpts
            ],
        )


def _excerpts(
    files: OutputFiles, wanted: Mapping[str, Scores]
) -> Iterator[tuple[str, AnswerExcerpt]]:
    """Read the records again of which texts are shown; the last one of an id was compared."""
    for path in files.enriched:
        # The first reading has reported what is unreadable.
        with suppress(UnreadableFile):
            for answer in read_answers(path):
                if answer.record_id in wanted:
                    yield answer.record_id, cut_answer(answer)


class PairedAnswers:
    """Verdicts and scores of two folders in a temporary database, which SQLite deletes."""

    def __init__(self) -> None:
        # An empty name is a private file that exists only while it is open.
        self._database = sqlite3.connect("")
        self._database.executescript(_TABLES)

    def close(self) -> None:
        """Delete the database."""
        self._database.close()

    def add(self, answer: AnswerRow, *, is_after: bool) -> None:
        """Store an answer of one of the folders; a later record of the same id replaces it."""
        self._database.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(is_after, answer.record_id, cut_name(answer.engine), answer.verdict),
                *(answer.support_score, answer.min_claim_score),
            ),
        )

    def changes(self) -> dict[tuple[str, str], int]:
        """Count the pairs by their two verdicts."""
        query = "SELECT verdict, verdict_after, COUNT(*) FROM pairs GROUP BY 1, 2"
        return {(before, after): pairs for before, after, pairs in self._rows(query)}

    def total(self) -> PairCounts:
        """Count all pairs."""
        return next((PairCounts(*counts) for counts in self._rows(_COUNTS, False, 1)), NO_PAIRS)

    def engines(self, limit: int) -> list[PairCounts]:
        """Count the pairs of each engine, the one with the most changes first."""
        return [PairCounts(*counts) for counts in self._rows(_COUNTS, True, limit)]

    def only_in(self, *, is_after: bool) -> int:
        """Count the record ids that only one folder has."""
        [[count]] = self._rows(_ONLY_IN_ONE, is_after)
        return int(count)

    def worst_changes(self, limit: int) -> dict[str, Scores]:
        """Return the earlier verdict and scores of the pairs that changed most for the worse."""
        rows = self._rows(_WORST_CHANGES, limit)
        return {record_id: Scores(*scores) for record_id, *scores in rows}

    def _rows(self, query: str, *values: int) -> Iterator[tuple[Any, ...]]:
        return iter(self._database.execute(query, values))
