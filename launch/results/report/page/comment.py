"""Render the report as a comment in Markdown, such as of a pull request."""

import re
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
from groundwatch.launch.cli.terminal.gate import decide_gate
from groundwatch.launch.results.report.counts.comparison import (
    Change,
    Comparison,
    ListedAnswer,
    cautions,
)
from groundwatch.launch.results.report.counts.excerpts import AnswerExcerpt
from groundwatch.launch.results.report.counts.tally import Findings
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.record_urls import record_url
from groundwatch.transforms.rules.spans import without_controls
from .presentation import verdict_styles

_MAX_CHARACTERS = 60_000
"""GitHub takes 65,536 in a comment."""

_MAX_TEXT_CHARACTERS = 240
_BACKTICKS = re.compile("`+")
_COLUMNS = ("Answer", "Question", "Least supported statement", "What the facts say instead")
_TITLES = {
    Change.BECAME_LOW: "Became low-grounded",
    Change.NEW_LOW: "New, and low-grounded",
    Change.STILL_LOW: "Still low-grounded",
    Change.NO_LONGER_LOW: "No longer low-grounded",
    Change.OTHER: "Other changes of the verdict",
}


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


def render_comment(
    findings: Findings, folder: str, fail_above: float | None, url_template: str | None = None
) -> str:
    """Render the verdicts of a folder, and its low-grounded answers, the worst first.

    The first line names the folder, so that a script finds the comment that it wrote before. Texts
    of answers are untrusted: each is a code span. The comment has at most 60,000 characters;
    answers beyond are counted. With a gate, `fail_above`, it says whether that is red.
    """
    tally = findings.tally
    low = tally.low_grounded
    scored = counted(tally.assessed, "scored answer")
    verdicts = (
        (each.name, count(tally.verdicts[each.verdict]))
        for each in reversed(verdict_styles(tally.verdicts))
        if tally.verdicts[each.verdict]
    )
    rows = [
        _Row((*_cells(each, url_template), score(each.answer.min_claim_score)), each.records)
        for each in tally.worst.answers()
        if each.answer.verdict == Verdict.LOW_GROUNDED
    ]
    return _comment(
        folder,
        f"{count(low)} of {scored} {'is' if low == 1 else 'are'} low-grounded",
        [
            *_gate(findings, fail_above),
            *_notes(findings, [findings.accuracy]),
            table_lines(("Verdict", "#Answers"), verdicts),
        ],
        [_Answers("Low-grounded answers, the worst first", (*_COLUMNS, "#Score"), rows, low)],
    )


def render_comparison_comment(
    found: Comparison, folder: str, fail_above: float | None, url_template: str | None = None
) -> str:
    """Render the rates of two folders, and the answers of the second one by what changed.

    The first line, texts, length and gate are as in `render_comment`, of the second folder.
    """
    different = (
        each.sentence.format(*map(code_span, each.names))
        for each in cautions(found.before, found.after)
    )
    return _comment(
        folder,
        _lead(found),
        [
            *_gate(found.after, fail_above),
            *([f"> **Note:** {each}"] for each in (*different, *found.before.unreadable)),
            *_notes(found.after, found.accuracies),
            table_lines(("", "#Before", "#After", "#Difference"), _rate_rows(found)),
            [_pairing_sentence(found)],
        ],
        [
            _Answers(
                title,
                (*_COLUMNS, "Verdict", "#Score"),
                [_Row(_changed_cells(each, url_template)) for each in found.listed[change].answers],
                found.listed[change].total,
            )
            for change, title in _TITLES.items()
        ],
    )


def _lead(found: Comparison) -> str:
    counts = {change: found.listed[change].total for change in Change}
    sentences = (
        (Change.BECAME_LOW, "became low-grounded"),
        (Change.NEW_LOW, "new and low-grounded"),
        (Change.STILL_LOW, "still low-grounded"),
        (Change.NO_LONGER_LOW, "no longer low-grounded"),
    )
    parts = [f"{count(counts[change])} {words}" for change, words in sentences if counts[change]]
    return f"Answers: {', '.join(parts)}" if parts else "No answer is low-grounded"


def _gate(findings: Findings, fail_above: float | None) -> Iterator[list[str]]:
    if fail_above is not None:
        tally = findings.tally
        gate = decide_gate(tally.verdicts, fail_above, tally.unread)
        colour = "**The gate is red:**" if gate.is_red else "The gate is green:"
        yield [f"{colour} {gate.sentence}."]


def _notes(findings: Findings, accuracies: Iterable[str]) -> Iterator[list[str]]:
    """Say what is not in the counts, and how far the verdicts can be trusted."""
    for each in findings.unreadable:
        yield [f"> **Note:** Not read to the end: {code_span(each)}."]
    if findings.of_all:
        yield [f"> **Note:** {findings.of_all}"]
    for failures in findings.tally.failures():
        what = f"{counted(failures.failures, 'failure')} {code_span(failures.error_class)}"
        yield [f"> **Note:** {what}, such as: {code_span(failures.example)}"]
    yield from ([f"> {each}"] for each in accuracies if each)


def _pairing_sentence(found: Comparison) -> str:
    counts = zip(("record id", "name", "question", "text"), found.pairing, strict=True)
    paired = ", ".join(f"{count(pairs)} by {way}" for way, pairs in counts if pairs)
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
        *("Low-grounded rate", percent(rates.before.low_share), percent(rates.after.low_share)),
        NOTHING if change is None else f"{points(change)} points",
    )


def _changed_cells(listed: ListedAnswer, url_template: str | None) -> Sequence[str]:
    before, after = listed.before, listed.excerpt.answer
    old, new = before.verdict if before else "", after.verdict
    names = {each.verdict: each.name for each in verdict_styles((old, new))} | {"": NOTHING}
    return (
        *_cells(listed.excerpt, url_template),
        names[new] if old == new else f"{names[old]} → {names[new]}",
        f"{score(before.claim if before else None)} → {score(after.min_claim_score)}",
    )


def _cells(excerpt: AnswerExcerpt, url_template: str | None) -> Sequence[str]:
    """Return an answer's id and question, and of a low-grounded one what is wrong with it."""
    answer = excerpt.answer
    name = code_span(answer_ids(answer.record_id, answer.answer_name))
    url = record_url(url_template, answer)
    is_low = answer.verdict == Verdict.LOW_GROUNDED
    return (
        f"[{name}](<{url}>)" if url else name,
        code_span(excerpt.query.text if excerpt.query else None),
        code_span(excerpt.lowest_text) if is_low else NOTHING,
        _said_instead(excerpt) if is_low else NOTHING,
    )


def _said_instead(excerpt: AnswerExcerpt) -> str:
    """Return what the lowest claim contradicts, or its values that no fact has, or what is near."""
    if not excerpt.claims:
        return NOTHING
    lowest = excerpt.claims[0].number
    quotes = [each for number, each in excerpt.quotes if number == lowest]
    if said := [each.text for each in quotes if each.contradicts]:
        return code_span(" ".join(said))
    unseen = [
        each.claim_value
        for each in excerpt.mismatches
        if each.claim == lowest - 1 and each.fact is None
    ]
    if unseen:
        return f"in no fact: {code_span(', '.join(unseen))}"
    near = [each.text for each in (*quotes, excerpt.nearest) if each]
    return f"not found; nearest: {code_span(near[0])}" if near else "not found in the facts"


def _comment(
    folder: str, lead: str, paragraphs: Iterable[list[str]], tables: Iterable[_Answers]
) -> str:
    """Join the paragraphs, and as many rows of the tables as there is room for."""
    # A dash or a sign of the folder's name could end a comment of HTML.
    name = re.sub(r"[^A-Za-z0-9_./]+", "_", folder)
    lines = [f"<!-- groundwatch report of {name} -->", f"## {lead}"]
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


def code_span(text: str | None) -> str:
    r"""Write untrusted text as code, so that it formats nothing, links nowhere and mentions nobody.

    The text is on one line, and cut at 240 characters. A table's cell can hold it.

    >>> code_span("@all <b> | *c*")
    '`@all <b> \\| *c*`'
    >>> code_span("a `tick`")
    '`` a `tick` ``'
    """
    line = " ".join(without_controls(text or "").split())
    if not line:
        return NOTHING
    if len(line) > _MAX_TEXT_CHARACTERS:
        line = f"{line[:_MAX_TEXT_CHARACTERS]}…"
    # A backslash of the text would escape the one that escapes the pipe.
    line = line.replace("\\|", "\\ |").replace("|", "\\|")
    longest = max(map(len, _BACKTICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"`{line}`"


def table_lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Write a table; a column whose name begins with # holds numbers.

    >>> table_lines(["Verdict", "#Answers"], [["Grounded", "3"]])
    ['| Verdict | Answers |', '| --- | ---: |', '| Grounded | 3 |']
    """
    names = [each.removeprefix("#") for each in columns]
    rules = ["---:" if each.startswith("#") else "---" for each in columns]
    return [f"| {' | '.join(cells)} |" for cells in (names, rules, *rows)]
