"""Render the report as a comment in Markdown, such as of a pull request."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from groundwatch.launch.cli.terminal.figures import (
    NOTHING,
    answer_ids,
    count,
    counted,
    percent,
    points,
    score,
)
from groundwatch.launch.results.evaluate.shares import Interval, share_interval
from groundwatch.launch.results.report.counts.cautions import cautions
from groundwatch.launch.results.report.counts.comparison import ChangedAnswer, Comparison
from groundwatch.launch.results.report.counts.excerpts import AnswerExcerpt
from groundwatch.launch.results.report.counts.tally import Findings
from groundwatch.launch.results.report.page.markdown import code_span, table_lines
from groundwatch.launch.results.report.page.presentation import verdict_styles
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.record_urls import record_url

MARKER = "<!-- groundwatch report -->"
"""The first line, by which a script finds the comment that it wrote before."""

_MAX_CHARACTERS = 60_000
"""GitHub takes 65,536 in a comment."""

_COLUMNS = ("Answer", "Question", "Least supported statement", "What the facts say")


class _Row(NamedTuple):
    """A line of a table, and the records that it stands for."""

    cells: Sequence[str]
    records: int = 1


class _Answers(NamedTuple):
    """A table of answers under a title; `records` counts those that it has no room for, too."""

    title: str
    columns: Sequence[str]
    rows: list[_Row]
    records: int


def render_comment(findings: Findings, url_template: str | None = None) -> str:
    """Render the verdicts of a folder, and its low-grounded answers, the worst first.

    Texts of answers are untrusted: each is a code span. The comment has at most 60,000 characters;
    answers beyond are counted.
    """
    tally = findings.tally
    low = tally.low_grounded
    scored = counted(tally.assessed, "scored answer")
    verdicts = (
        (each.name, count(tally.verdicts[each.verdict]))
        for each in reversed(verdict_styles(tally.verdicts))
        if tally.verdicts[each.verdict]
    )
    rate = share_interval(low, tally.assessed)
    worst = [each for each in tally.worst.answers() if _is_low(each.answer.verdict)]
    rows = [
        _Row((*_cells(each, url_template), score(each.answer.min_claim_score)), each.records)
        for each in worst
    ]
    return _comment(
        f"{count(low)} of {scored} {'is' if low == 1 else 'are'} low-grounded",
        [
            *_notes(findings.unreadable),
            [f"Low-grounded rate: {_interval(rate)}."],
            table_lines(("Verdict", "#Answers"), verdicts),
        ],
        [_Answers("Low-grounded answers, the worst first", (*_COLUMNS, "#Score"), rows, low)],
    )


def render_comparison_comment(found: Comparison, url_template: str | None = None) -> str:
    """Render the rates of two folders, and the answers with another verdict in the second one.

    Texts and length are as in `render_comment`.
    """
    total = found.total
    different = [
        each.sentence.format(*map(code_span, each.names))
        for each in cautions(found.before, found.after)
    ]
    became, others = (
        [
            _Row(_changed_cells(each, url_template))
            for each in found.answers
            if _is_low(each.excerpt.answer.verdict) is is_low
        ]
        for is_low in (True, False)
    )
    columns = (*_COLUMNS, "Verdict", "#Score")
    return _comment(
        _lead(found),
        [
            *_notes(different),
            *_notes(found.unreadable),
            table_lines(("", "#Before", "#After", "#Difference"), _rate_rows(found)),
            [_pairing_sentence(found)],
        ],
        [
            _Answers("Became low-grounded", columns, became, total.became_low),
            _Answers("Other verdicts", columns, others, total.changed - total.became_low),
        ],
    )


def _lead(found: Comparison) -> str:
    total, better = found.total, found.total.no_longer_low
    if not total.pairs:
        return "No answer is in both folders"
    if not total.changed:
        return f"None of {counted(total.pairs, 'answer')} has another verdict"
    became = f"{counted(total.became_low, 'answer')} became low-grounded"
    return f"{became}, {count(better)} no longer {'is' if better == 1 else 'are'}"


def _pairing_sentence(found: Comparison) -> str:
    by = found.pairing
    ways = ((by.by_id, "record id"), (by.by_name, "name"), (by.by_question, "question"))
    paired = ", ".join(f"{count(pairs)} by {way}" for pairs, way in ways if pairs)
    return (
        f"{counted(found.total.pairs, 'answer')} in both{f' ({paired})' if paired else ''},"
        f" {count(found.only_before)} only before, {count(found.only_after)} only after."
    )


def _rate_rows(found: Comparison) -> Iterator[Sequence[str]]:
    rates, (first, second) = found.all_rates, (each.tally for each in (found.before, found.after))
    change = rates.change
    yield "Scored answers", count(first.assessed), count(second.assessed), ""
    yield "Low-grounded", count(first.low_grounded), count(second.low_grounded), ""
    yield (
        *("Low-grounded rate", _interval(rates.before), _interval(rates.after)),
        f"{points(change.value)} points ({points(change.low)} to {points(change.high)})"
        if change
        else NOTHING,
    )


def _interval(share: Interval | None) -> str:
    if share is None:
        return NOTHING
    return f"{percent(share.value)} ({percent(share.low)} to {percent(share.high)})"


def _is_low(verdict: str) -> bool:
    return verdict == Verdict.LOW_GROUNDED


def _changed_cells(changed: ChangedAnswer, url_template: str | None) -> Sequence[str]:
    before, after = changed.before, changed.excerpt.answer
    names = {each.verdict: each.name for each in verdict_styles((before.verdict, after.verdict))}
    return (
        *_cells(changed.excerpt, url_template),
        f"{names[before.verdict]} → {names[after.verdict]}",
        f"{score(before.claim)} → {score(after.min_claim_score)}",
    )


def _cells(excerpt: AnswerExcerpt, url_template: str | None) -> Sequence[str]:
    """Return an answer's id, question and least supported statement, and what contradicts it."""
    answer = excerpt.answer
    name = code_span(answer_ids(answer.record_id, answer.answer_name))
    url = record_url(url_template, answer)
    lowest = excerpt.claims[0].number if excerpt.claims else None
    said = [each.text for number, each in excerpt.quotes if number == lowest and each.contradicts]
    return (
        f"[{name}](<{url}>)" if url else name,
        code_span(excerpt.query.text if excerpt.query else None),
        code_span(excerpt.lowest_text),
        code_span(" ".join(said)),
    )


def _notes(sentences: Iterable[str]) -> Iterator[list[str]]:
    return ([f"> **Note:** {each}"] for each in sentences)


def _comment(lead: str, paragraphs: Iterable[list[str]], tables: Iterable[_Answers]) -> str:
    """Join the paragraphs, and as many rows of the tables as there is room for."""
    lines = [MARKER, f"## {lead}"]
    for paragraph in paragraphs:
        lines += ["", *paragraph]
    for answers in tables:
        if answers.records:
            lines += ["", *_answer_lines(answers, _MAX_CHARACTERS - len("\n".join(lines)))]
    return "\n".join([*lines, ""])


def _answer_lines(answers: _Answers, room: int) -> Iterator[str]:
    lines = table_lines(answers.columns, (row.cells for row in answers.rows))
    left = answers.records
    yield f"### {answers.title}"
    yield ""
    yield from lines[:2]
    for line, row in zip(lines[2:], answers.rows, strict=True):
        room -= len(line) + 1
        if room < 0:
            break
        yield line
        left -= row.records
    if left:
        yield ""
        yield f"{count(left)} more."
