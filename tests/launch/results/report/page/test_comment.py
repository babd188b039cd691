"""The report as a comment: its tables hold untrusted text as text, and it fits into GitHub."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from groundwatch.launch.cli.terminal.figures import ACCURACY
from groundwatch.launch.results.report.compare_folders import compare_folders
from groundwatch.launch.results.report.page.comment import (
    code_span,
    render_comment,
    render_comparison_comment,
    table_lines,
)
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import a_check, a_fact, an_enriched
from tests.support.reports import (
    a_low,
    findings_in,
    hostile_answers,
    write_enriched,
    write_lines,
    write_summary,
)

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


MARKER = "<!-- groundwatch report of out/pr -->"


def comment_of(
    folder: Path, answers: Sequence[EnrichedAnswer], fail_above: float | None = None
) -> str:
    write_enriched(folder, answers)
    write_summary(folder)
    return render_comment(findings_in(folder), "out/pr", fail_above)


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
    comparison = compare_folders([find_files(str(path)) for path in folders], 50)
    return render_comparison_comment(comparison, "out/pr", 0.5)


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


def test_each_low_grounded_answer_is_listed_by_what_changed(tmp_path: Path) -> None:
    def answer(number: int, verdict: Verdict) -> EnrichedAnswer:
        build = a_low if verdict is Verdict.LOW_GROUNDED else an_enriched
        return build(record_id=f"{number:064}", query=f"Q{number}?", verdict=verdict)

    low, grounded, skipped = Verdict.LOW_GROUNDED, Verdict.GROUNDED, Verdict.POLICY_SKIPPED
    comment = compared(
        tmp_path,
        [answer(1, grounded), answer(2, low), answer(3, low), answer(5, skipped)],
        [answer(1, low), answer(2, grounded), answer(3, low), answer(4, low), answer(5, grounded)],
    )
    assert (
        "## Answers: 1 became low-grounded, 1 new and low-grounded, 1 still low-grounded,"
        " 1 no longer low-grounded\n"
    ) in comment
    assert "4 answers in both (4 by record id), 0 only before, 1 only after." in comment
    sections = [each.partition("\n") for each in comment.split("### ")[1:]]
    assert {title: [row[1] for row in cells_of(rest)[1:]] for title, _, rest in sections} == {
        "Became low-grounded": ["Q1?"],
        "New, and low-grounded": ["Q4?"],
        "Still low-grounded": ["Q3?"],
        "No longer low-grounded": ["Q2?"],
        "Other changes of the verdict": ["Q5?"],
    }
    changes = [row[4] for row in cells_of(comment) if len(row) == 6 and row[0] != "Answer"]
    assert changes == [
        *("Grounded → Low-grounded", "— → Low-grounded", "Low-grounded"),
        *("Low-grounded → Grounded", "Policy-skipped → Grounded"),
    ]


def test_a_comment_says_by_which_answers_its_gate_is_green_or_red(tmp_path: Path) -> None:
    answers = [a_low(record_id="a" * 64), an_enriched(record_id="b" * 64)]
    green, red = (comment_of(tmp_path, answers, allowed) for allowed in (0.5, 0.4))
    assert "The gate is green: 1 of 2 scored answers LOW_GROUNDED, --fail_above 0.5." in green
    assert "**The gate is red:** 50.0% of the scored answers are LOW_GROUNDED, more than" in red


def test_what_was_counted_has_no_interval_and_what_was_drawn_is_estimated(tmp_path: Path) -> None:
    answers = [a_low(record_id=f"{n:064}") if n < 4 else an_enriched() for n in range(40)]
    comment = comment_of(tmp_path / "all", answers)
    assert "## 4 of 40 scored answers are low-grounded" in comment
    assert "%" not in comment.replace(ACCURACY["local"], "")
    rates = next(each for each in compared(tmp_path, [], answers).splitlines() if "rate" in each)
    assert rates == "| Low-grounded rate | — | 10.0% | — |"
    sample = {"sampled_out": 360, "enriched": 40}
    estimate = "low-grounded of all: 10.0% (3.5% to 23.6%), by 40 drawn."
    write_summary(tmp_path / "all", **sample)
    assert estimate in render_comment(findings_in(tmp_path / "all"), "out/pr", None)
    assert f"The second folder: A random share of the answers was drawn; {estimate}" in compared(
        tmp_path, [], answers, **sample
    )


def test_what_could_not_be_read_is_counted_with_an_example(tmp_path: Path) -> None:
    for each in ("one", "two"):
        failure = {"step": "ParseAnswers", "error_class": "UnmappedFields", "error": f"No {each} |"}
        write_lines(tmp_path, "failures", *[failure | {"retryable": False}] * 3)
    comment = comment_of(tmp_path, [an_enriched()], 0.5)
    assert "**Note:** 3 failures `UnmappedFields`, such as: `No two \\|`" in comment
    assert "**The gate is red:** 3 could not be read, beside 1 that are scored" in comment


@pytest.mark.parametrize(
    ("mismatches", "said"),
    [
        ((), "not found in the facts"),
        ((Contradiction(claim=1, kind="NUMBER", claim_value="3 | days"),), "in no fact: 3 | days"),
        ((Contradiction(claim=0, kind="NUMBER", claim_value="3 days"),), "not found in the facts"),
    ],
    ids=["nothing", "a value", "a value of another claim"],
)
def test_what_no_fact_says_is_named(
    tmp_path: Path, mismatches: tuple[Contradiction, ...], said: str
) -> None:
    comment = comment_of(tmp_path, [a_low(mismatches=mismatches, facts=(a_fact("It is red."),))])
    assert cells_of(comment)[-1][3] == said


def test_the_nearest_sentence_of_what_is_not_found_is_quoted(tmp_path: Path) -> None:
    comment = comment_of(tmp_path, [a_low(facts=(a_fact("It is red. Kettles boil."),))])
    assert cells_of(comment)[-1][3] == "not found; nearest: Kettles boil."


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
    notes = [line for line in comment.splitlines() if line.startswith("> **Note:** The folders")]
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
    comment = comment_of(tmp_path, answers)
    assert len(comment.encode()) < GITHUB_LIMIT
    shown = sum("Kettle" in " ".join(row) for row in cells_of(comment))
    assert 10 < shown < 150
    assert comment.endswith(f"\n{150 - shown} more.\n")


@pytest.mark.parametrize("mode", [TextMode.HASH, TextMode.NONE])
def test_texts_that_the_run_did_not_keep_are_left_out(tmp_path: Path, mode: TextMode) -> None:
    wrong = a_wrong("It takes 3 days.", "It takes 2 days.", query="How long?")
    comment = comment_of(tmp_path, [redact(wrong, mode)])
    assert cells_of(comment)[-1][1:] == ["—", "—", "not found in the facts", "0.10"]
