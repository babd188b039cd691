"""The report as a comment: its tables hold untrusted text as text, and it fits into GitHub."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from groundwatch.launch.results.report.compare_folders import compare_folders
from groundwatch.launch.results.report.page.comment import (
    MARKER,
    render_comment,
    render_comparison_comment,
)
from groundwatch.launch.results.report.page.markdown import code_span, table_lines
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import a_check, a_fact, an_enriched
from tests.support.reports import a_low, findings_in, hostile_answers, write_enriched, write_summary

GITHUB_LIMIT = 65_536
MARKDOWN = MarkdownIt("commonmark").enable("table")
PLAIN = {"text", "code_inline", "softbreak"}
TEXTS = st.text(st.sampled_from("a|`\\ <>@*_[]()!#&;\n\u202e"), max_size=12)


def cells_of(comment: str) -> list[list[str]]:
    """Return the texts of the tables' rows; nothing but text and code may stand in them."""
    rows: list[list[str]] = []
    for token in MARKDOWN.parse(comment):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level >= 4:  # in a cell
            children = token.children or []
            assert {each.type for each in children} <= PLAIN, children
            rows[-1].append("".join(each.content for each in children))
    return rows


def comment_of(folder: Path, answers: Sequence[EnrichedAnswer]) -> str:
    write_enriched(folder, answers)
    write_summary(folder)
    return render_comment(findings_in(folder))


def compared(
    folder: Path,
    before: Sequence[EnrichedAnswer],
    after: Sequence[EnrichedAnswer],
    **summary: object,
) -> str:
    folders = [folder / "before", folder / "after"]
    for path, answers in zip(folders, (before, after), strict=True):
        write_enriched(path, answers)
    write_summary(folders[0], thresholds={"low_grounded": 0.6, "claim": 0.4})
    write_summary(folders[1], **{"thresholds": {"low_grounded": 0.6, "claim": 0.4}} | summary)
    return render_comparison_comment(compare_folders([find_files(str(p)) for p in folders], 50))


def a_wrong(text: str, fact: str, **fields: object) -> EnrichedAnswer:
    return a_low(
        f"Lamps. {text}",
        facts=(a_fact("Lamps glow."), a_fact(fact)),
        mismatches=(
            Contradiction(claim=1, kind="NUMBER", claim_value="3", fact_value="2", fact=1),
        ),
        **fields,
    )


def test_low_grounded_answers_stand_beside_what_the_facts_say(tmp_path: Path) -> None:
    wrong = a_wrong("It takes 3 days.", "It takes 2 days.", query="How long?", answer_name="a-1")
    comment = comment_of(tmp_path, [wrong, an_enriched(record_id="b" * 64)])
    assert comment.splitlines()[:2] == [MARKER, "## 1 of 2 scored answers is low-grounded"]
    assert cells_of(comment)[-1] == [
        f"{wrong.record_id[:12]} (a-1)",
        *("How long?", "It takes 3 days.", "It takes 2 days.", "0.10"),
    ]


def test_a_folder_without_low_grounded_answers_lists_none(tmp_path: Path) -> None:
    comment = comment_of(tmp_path, [an_enriched()])
    assert "## 0 of 1 scored answer are low-grounded" in comment
    assert cells_of(comment) == [["Verdict", "Answers"], ["Grounded", "1"]]


def test_what_became_low_grounded_stands_before_other_changes(tmp_path: Path) -> None:
    def pair(number: int, verdict: Verdict) -> EnrichedAnswer:
        build = a_low if verdict is Verdict.LOW_GROUNDED else an_enriched
        return build(record_id=f"{number:064}", query=f"Q{number}?")

    low, grounded = Verdict.LOW_GROUNDED, Verdict.GROUNDED
    comment = compared(
        tmp_path,
        [pair(1, grounded), pair(2, low), pair(3, low)],
        [pair(1, low), pair(2, grounded), pair(3, low), pair(4, low)],
    )
    assert "## 1 answer became low-grounded, 1 no longer is" in comment
    assert "3 answers in both (3 by record id), 0 only before, 1 only after." in comment
    rows = [row for row in cells_of(comment) if "→" in " ".join(row)]
    assert [(row[1], row[4]) for row in rows] == [
        ("Q1?", "Grounded → Low-grounded"),
        ("Q2?", "Low-grounded → Grounded"),
    ]
    assert comment.index("### Became low-grounded") < comment.index("### Other verdicts")


@pytest.mark.parametrize(
    ("checker", "summary", "note"),
    [
        ("local", {}, None),
        ("judge", {}, "different checkers (`local` before, `judge` after)"),
        ("@all", {}, "different checkers (`local` before, `@all` after)"),
        (
            "local",
            {"thresholds": {"low_grounded": 0.5, "claim": 0.4}},
            "thresholds of the support and the claim score (0.6 and 0.4 before, 0.5 and 0.4 after)",
        ),
        (
            "local",
            {
                "thresholds": {
                    "low_grounded": 0.6,
                    "claim": 0.4,
                    "engines": {"shop": {"low_grounded": 0.5, "claim": 0.4}},
                }
            },
            "different thresholds of `shop`",
        ),
    ],
)
def test_other_checkers_and_thresholds_are_noted(
    tmp_path: Path, checker: str, summary: dict[str, object], note: str | None
) -> None:
    before, after = ([an_enriched(check=a_check(checker=name))] for name in ("local", checker))
    comment = compared(tmp_path, before, after, **summary)
    notes = [line for line in comment.splitlines() if line.startswith("> **Note:**")]
    assert [note in each for each in notes if note] == [True] * bool(note)
    assert len(notes) == bool(note)


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    answers = hostile_answers()
    grounded = [an_enriched(record_id=each.record_id) for each in answers]
    for comment in (comment_of(tmp_path / "one", answers), compared(tmp_path, grounded, answers)):
        rows = cells_of(comment)
        assert len(rows) > len(answers)
        html = [token.content for token in MARKDOWN.parse(comment) if token.type == "html_block"]
        assert html == [MARKER + "\n"]
        assert all(character.isprintable() or character == "\n" for character in comment)


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_any_text_is_one_cell(texts: list[str]) -> None:
    lines = table_lines(["A", "B"], [list(map(code_span, texts))])
    expected = [
        " ".join(each.replace("\u202e", " ").split()).replace("\\|", "\\ |") or "—"
        for each in texts
    ]
    assert cells_of("\n".join(lines)) == [["A", "B"], expected]


def test_a_comment_fits_into_github_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    answers = [
        a_wrong(
            f"Kettle {n} {'boils ' * 60}.",
            "It is cold. " * 30,
            record_id=f"{n:064}",
            query="Q" * 500,
        )
        for n in range(150)
    ]
    write_enriched(tmp_path, answers)
    comment = render_comment(findings_in(tmp_path))
    assert len(comment.encode()) < GITHUB_LIMIT
    shown = sum("Kettle" in " ".join(row) for row in cells_of(comment))
    assert 10 < shown < 150
    assert comment.endswith(f"\n{150 - shown} more.\n")


@pytest.mark.parametrize("mode", [TextMode.HASH, TextMode.NONE])
def test_texts_that_the_run_did_not_keep_are_left_out(tmp_path: Path, mode: TextMode) -> None:
    wrong = a_wrong("It takes 3 days.", "It takes 2 days.", query="How long?")
    comment = comment_of(tmp_path, [redact(wrong, mode)])
    assert cells_of(comment)[-1][1:] == ["—", "—", "—", "0.10"]
