"""Pair the records of two output folders, and count what differs."""

import hashlib
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any

from groundwatch.pipeline.sources.output_folder import OutputFiles, UnreadableFile, read_answers
from groundwatch.schemas.enriched_answer import AnswerRow
from .counts import comparison
from .counts.excerpts import AnswerExcerpt, cut_answer
from .counts.untrusted_names import cut_name
from .write_report import read_output

_MAX_ENGINES = 20
_KEY_BYTES = 16
_TABLES = """
PRAGMA cache_size = -32768;
CREATE TABLE answers (
    is_after INTEGER, record_id TEXT, name BLOB, question BLOB, text BLOB,
    engine TEXT, verdict TEXT, support REAL, claim REAL,
    PRIMARY KEY (is_after, record_id)
) WITHOUT ROWID;
CREATE TABLE other_pairs (
    before_id TEXT PRIMARY KEY, after_id TEXT UNIQUE, paired_by TEXT
) WITHOUT ROWID;
-- The id of an answer without a name may be its line in a file, where another one can stand later.
CREATE VIEW id_pairs AS
SELECT b.record_id FROM answers b JOIN answers a ON a.record_id = b.record_id
WHERE b.is_after = 0 AND a.is_after = 1
    AND NOT (b.name IS NULL AND a.name IS NULL AND COALESCE(a.question <> b.question, FALSE));
CREATE VIEW unpaired AS
SELECT * FROM answers a WHERE NOT EXISTS (
    SELECT 1 FROM id_pairs i WHERE i.record_id = a.record_id
) AND NOT EXISTS (
    SELECT 1 FROM other_pairs WHERE before_id = a.record_id AND NOT a.is_after
) AND NOT EXISTS (
    SELECT 1 FROM other_pairs WHERE after_id = a.record_id AND a.is_after
);
CREATE VIEW pairs AS
SELECT
    a.record_id, a.engine,
    b.verdict AS verdict, b.support AS support, b.claim AS claim,
    a.verdict AS verdict_after, a.support AS support_after, a.claim AS claim_after,
    a.verdict <> b.verdict AS is_changed,
    (a.verdict = 'LOW_GROUNDED') - (b.verdict = 'LOW_GROUNDED') AS became_low,
    a.support - b.support AS support_change, a.claim - b.claim AS claim_change
FROM answers b LEFT JOIN other_pairs p ON p.before_id = b.record_id
JOIN answers a ON a.is_after = 1 AND a.record_id = COALESCE(p.after_id, b.record_id)
WHERE b.is_after = 0 AND (p.after_id IS NOT NULL OR EXISTS (
    SELECT 1 FROM id_pairs i WHERE i.record_id = b.record_id
));
CREATE VIEW listed AS
SELECT
    record_id, verdict, support, claim,
    CASE WHEN is_changed THEN claim_change ELSE claim_after END AS worst,
    CASE WHEN is_changed THEN support_change ELSE support_after END AS next,
    CASE
        WHEN became_low > 0 THEN 'BECAME_LOW' WHEN became_low < 0 THEN 'NO_LONGER_LOW'
        WHEN is_changed THEN 'OTHER' ELSE 'STILL_LOW'
    END AS change
FROM pairs WHERE is_changed OR verdict = 'LOW_GROUNDED'
UNION ALL
SELECT record_id, NULL, NULL, NULL, claim, support, 'NEW_LOW' FROM unpaired
WHERE is_after = 1 AND verdict = 'LOW_GROUNDED';
"""
_PAIR_BY_KEY = """
INSERT INTO other_pairs
WITH single AS (
    SELECT is_after, {key} AS key, MIN(record_id) AS record_id FROM unpaired
    WHERE {key} IS NOT NULL GROUP BY is_after, {key} HAVING COUNT(*) = 1
)
SELECT b.record_id, a.record_id, '{key}' FROM single b JOIN single a ON a.key = b.key
WHERE b.is_after = 0 AND a.is_after = 1
"""
_COUNTS = """
SELECT
    CASE WHEN ? THEN engine END, COUNT(*),
    SUM(is_changed), SUM(became_low > 0), SUM(became_low < 0),
    AVG(support_change), AVG(claim_change)
FROM pairs GROUP BY 1 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?
"""
_LISTED = """
SELECT record_id, verdict, support, claim FROM listed WHERE change = ?
ORDER BY worst, next, record_id LIMIT ?
"""
_ONLY_IN_ONE = "SELECT COUNT(*) FROM unpaired WHERE is_after = ?"


def compare_folders(files: Sequence[OutputFiles], shown: int) -> comparison.Comparison:
    """Pair the records of two folders, and count their differences; show so many of them.

    OSError says why the temporary file of the pairs cannot be written.
    """
    try:
        return _compare(files, shown)
    except sqlite3.Error as error:
        raise OSError(f"cannot pair the records in a temporary file: {error}") from None


def _compare(files: Sequence[OutputFiles], shown: int) -> comparison.Comparison:
    with closing(PairedAnswers()) as pairs:
        before, after = (
            read_output(each, {}, shown=1, also_add=partial(pairs.add, is_after=bool(is_after)))
            for is_after, each in enumerate(files)
        )
        pairing = pairs.pair_others()
        counts = pairs.counts_of_changes()
        scores = {change: pairs.listed(change, shown) for change in counts}
        wanted = {record_id for each in scores.values() for record_id in each}
        excerpts = dict(_excerpts(files[1], wanted)) if wanted else {}
        return comparison.Comparison(
            before=before,
            after=after,
            pairing=pairing,
            total=pairs.total(),
            changes=pairs.changes(),
            engines=pairs.engines(_MAX_ENGINES),
            only_before=pairs.only_in(is_after=False),
            only_after=pairs.only_in(is_after=True),
            listed={
                change: comparison.ListedAnswers(
                    [
                        comparison.ListedAnswer(before, excerpts[key])
                        for key, before in scores.get(change, {}).items()
                        if key in excerpts
                    ],
                    counts.get(change, 0),
                )
                for change in comparison.Change
            },
        )


def _excerpts(files: OutputFiles, wanted: Collection[str]) -> Iterator[tuple[str, AnswerExcerpt]]:
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
        self._database.close()

    def add(self, answer: AnswerRow, *, is_after: bool) -> None:
        """Store an answer of one of the folders; a later record of the same id replaces it."""
        self._database.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(is_after, answer.record_id, _key(answer.answer_name), _key(answer.query)),
                None if answer.query else _key(answer.answer_text),
                *(cut_name(answer.engine), answer.verdict),
                *(answer.support_score, answer.min_claim_score),
            ),
        )

    def pair_others(self) -> comparison.Pairing:
        """Pair what has no record id in common: by name, else by question, without one by text.

        Only what each folder has once there makes a pair. A record id depends on the content, or on
        the place: an answer that changed has another one, and one in a renamed file may. Questions
        pair the answers to one set of questions, and texts equal archives; where most answers have
        no pair, they are chance and are left out.
        """
        [[by_id]] = self._rows("SELECT COUNT(*) FROM id_pairs")
        by_name, by_question, by_text = (
            self._database.execute(_PAIR_BY_KEY.format(key=key)).rowcount
            for key in ("name", "question", "text")
        )
        totals = "SELECT COUNT(*) FROM answers GROUP BY is_after"
        fewest = min((count for [count] in self._rows(totals)), default=0)
        if 2 * (by_id + by_name + by_question + by_text) < fewest:
            self._database.execute("DELETE FROM other_pairs WHERE paired_by <> 'name'")
            by_question = by_text = 0
        return comparison.Pairing(by_id, by_name, by_question, by_text)

    def changes(self) -> dict[tuple[str, str], int]:
        """Count the pairs by their two verdicts."""
        query = "SELECT verdict, verdict_after, COUNT(*) FROM pairs GROUP BY 1, 2"
        return {(before, after): pairs for before, after, pairs in self._rows(query)}

    def total(self) -> comparison.PairCounts:
        return comparison.PairCounts(*next(self._rows(_COUNTS, False, 1), ()))

    def engines(self, limit: int) -> list[comparison.PairCounts]:
        """Count the pairs of each engine, the one with the most changes first."""
        return [comparison.PairCounts(*counts) for counts in self._rows(_COUNTS, True, limit)]

    def only_in(self, *, is_after: bool) -> int:
        [[count]] = self._rows(_ONLY_IN_ONE, is_after)
        return int(count)

    def counts_of_changes(self) -> dict[comparison.Change, int]:
        query = "SELECT change, COUNT(*) FROM listed GROUP BY change"
        return {comparison.Change[name]: count for name, count in self._rows(query)}

    def listed(self, change: comparison.Change, limit: int) -> dict[str, comparison.Scores | None]:
        """Return what the worst answers of a kind of change were in the first folder, by id."""
        rows = self._rows(_LISTED, change.name, limit)
        return {record_id: comparison.Scores(*old) if old[0] else None for record_id, *old in rows}

    def _rows(self, query: str, *values: int | str) -> Iterator[tuple[Any, ...]]:
        return iter(self._database.execute(query, values))


def _key(text: str | None) -> bytes | None:
    """Return what stands for a name, a question or a text; None without one."""
    data = (text or "").encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=_KEY_BYTES).digest() if data else None
