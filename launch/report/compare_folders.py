"""Compare the records of two output folders."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial

from launch.report.answer_table import COLUMNS, Cell, encode_csv, row_of
from launch.report.counts.comparison import ChangedAnswer, Comparison, Scores
from launch.report.counts.worst_answers import AnswerExcerpt, cut_answer
from launch.report.output_folder import OutputFiles, UnreadableFile, read_answers
from launch.report.page.page import render_comparison
from launch.report.paired_answers import PairedAnswers
from launch.report.write_report import read_output

_MAX_ENGINES = 20
_EARLIER = ("verdict_before", "support_score_before", "min_claim_score_before")


def compare_folders(
    folders: Sequence[str],
    files: Sequence[OutputFiles],
    shown: int,
    url_template: str | None = None,
) -> tuple[str, Callable[[], bytes], tuple[str, ...]]:
    """Return the page, what encodes the changed answers as CSV, and why files are unreadable."""
    try:
        comparison = _compare(files, shown)
    except sqlite3.Error as error:
        raise OSError(f"cannot pair the records in a temporary file: {error}") from None
    rows = map(_row, comparison.answers)
    return (
        render_comparison(comparison, folders, url_template),
        partial(encode_csv, (*COLUMNS, *_EARLIER), rows),
        comparison.before.unreadable + comparison.after.unreadable,
    )


def _compare(files: Sequence[OutputFiles], shown: int) -> Comparison:
    with closing(PairedAnswers()) as pairs:
        before, after = (
            read_output(each, {}, {}, shown=1, also_add=partial(pairs.add, is_after=bool(is_after)))
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


def _row(changed: ChangedAnswer) -> dict[str, Cell]:
    return row_of(changed.excerpt) | dict(zip(_EARLIER, changed.before, strict=True))
