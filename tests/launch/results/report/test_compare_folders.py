"""The comparison of two folders."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report import compare_folders as comparing
from groundwatch.launch.results.report.compare_folders import PairedAnswers, compare_folders
from groundwatch.launch.results.report.counts.comparison import Change, PairCounts
from groundwatch.launch.results.report.page.report_page import render_comparison
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from tests.support.builders import a_check, an_enriched
from tests.support.pages import Page, parse_page
from tests.support.reports import SCRIPT, a_low, hostile_answers, write_enriched, write_summary

LOW, GROUNDED = Verdict.LOW_GROUNDED, Verdict.GROUNDED


def compared(
    folder: Path, before: list[EnrichedAnswer], after: list[EnrichedAnswer], shown: int = 20
) -> Page:
    folders = [folder / "before", folder / "after"]
    for path, answers in zip(folders, (before, after), strict=True):
        write_enriched(path, answers)
        write_summary(path)
    files = [find_files(str(path)) for path in folders]
    comparison = compare_folders(files, shown)
    assert comparison.unreadable == ()
    return parse_page(render_comparison(comparison, ["before", "after"]))


def words(page: Page, section: str) -> str:
    [found] = [each for each in page.all("section") if each.attributes["id"] == section]
    return " ".join(found.text.split())


def answer(number: int, verdict: Verdict, score: float | None, **fields: Any) -> EnrichedAnswer:
    build = a_low if verdict == LOW else an_enriched
    given = {"record_id": f"{number:064}", "verdict": verdict, "min_claim_score": score}
    given |= {"answer_name": None, "query": None}
    return build(**given | {"support_score": score} | fields)


def test_the_worst_changes_come_first_with_both_scores(tmp_path: Path) -> None:
    page = compared(
        tmp_path,
        [
            answer(1, GROUNDED, 0.9),
            answer(2, GROUNDED, 0.8),
            answer(3, LOW, 0.1),
            answer(4, LOW, 0.2),
        ],
        [answer(1, LOW, 0.3), answer(2, LOW, 0.0), answer(3, GROUNDED, 0.7), answer(4, LOW, 0.1)],
    )
    scores = [" ".join(each.text.split()) for each in page.all("span", "score")]
    assert scores == ["0.80 → 0.00", "0.90 → 0.30", "0.10 → 0.70"]
    assert "Low-grounded → Grounded, support 0.10 → 0.70" in words(page, "answers")
    assert page.all("p", "figure")[0].text == "75.0%"


def test_only_as_many_changes_are_shown_as_asked_for(tmp_path: Path) -> None:
    before = [answer(number, GROUNDED, 0.9) for number in range(5)]
    after = [answer(number, LOW, 0.1) for number in range(5)]
    page = compared(tmp_path, before, after, shown=2)
    assert len(page.all("details", "answer")) == 2
    assert "2 of 5 answers with another verdict" in words(page, "answers")


def test_verdicts_are_counted_from_one_to_the_other(tmp_path: Path) -> None:
    page = compared(
        tmp_path,
        [answer(1, GROUNDED, 0.9), answer(2, GROUNDED, 0.9), answer(3, LOW, 0.1)],
        [answer(1, LOW, 0.3), answer(2, GROUNDED, 0.8), answer(4, GROUNDED, 0.8)],
    )
    # Columns: low-grounded, grounded.
    assert words(page, "verdicts").endswith("Low-grounded00 Grounded11")
    assert "2 record ids in both folders, 1 only in the first, 1 only in the second." in page.text


def test_an_answer_that_changed_is_paired_by_its_name_else_by_its_question(tmp_path: Path) -> None:
    before = [
        answer(1, GROUNDED, 0.9, answer_name="a-1", query="Red?"),
        answer(2, GROUNDED, 0.9, query="How long?"),
        answer(3, GROUNDED, 0.9, query="Twice?"),
        answer(4, GROUNDED, 0.9, query="Twice?"),
        answer(9, GROUNDED, 0.9, query="Same?"),
    ]
    after = [
        answer(11, LOW, 0.3, answer_name="a-1", query="How red?"),
        answer(12, LOW, 0.2, query="How long?"),
        answer(13, LOW, 0.1, query="Twice?"),
        answer(9, GROUNDED, 0.9, query="Same?"),
    ]
    page = compared(tmp_path, before, after)
    scores = [" ".join(each.text.split()) for each in page.all("span", "score")]
    assert scores == ["0.90 → 0.20", "0.90 → 0.30", "— → 0.10"]
    assert (
        "1 record id in both folders, 2 only in the first, 1 only in the second."
        " 1 more answer paired by name. 1 more answer paired by question."
    ) in " ".join(page.text.split())


def test_an_answer_without_name_and_question_is_paired_by_its_text(tmp_path: Path) -> None:
    before = [
        answer(1, GROUNDED, 0.9, answer_text="A lamp."),
        answer(2, GROUNDED, 0.9, answer_text="Two lamps."),
        answer(3, GROUNDED, 0.9, answer_text="Sorry.", query="How many?"),
        answer(4, GROUNDED, 0.9, answer_text="Twice."),
        answer(5, GROUNDED, 0.9, answer_text="Twice."),
    ]
    after = [
        answer(11, LOW, 0.3, answer_text="A lamp."),
        answer(12, GROUNDED, 0.9, answer_text="Two lamps."),
        answer(13, GROUNDED, 0.9, answer_text="Sorry.", query="Which one?"),
        answer(14, GROUNDED, 0.9, answer_text="Twice."),
    ]
    page = compared(tmp_path, before, after)
    assert "2 more answers paired by text." in page.text
    assert "3 only in the first, 2 only in the second." in page.text
    assert page.all("h1")[0].text.startswith("1 of 2 answers in both folders has another verdict")


def test_an_id_that_is_a_line_of_a_file_pairs_no_other_question(tmp_path: Path) -> None:
    questions = [f"Question {number}?" for number in range(4)]
    before, after = (
        [
            answer(line, verdict_of(question), 0.5, query=question)
            for line, question in enumerate(asked)
        ]
        for asked in (questions, ["New?", *questions])
    )
    page = compared(tmp_path, before, after)
    assert page.all("h1")[0].text.startswith("0 of 4 answers in both folders have another verdict")
    assert "0 record ids in both folders, 0 only in the first, 1 only in the second." in page.text


def verdict_of(question: str) -> Verdict:
    return LOW if question.startswith(("Question 1", "Question 2")) else GROUNDED


def test_questions_that_a_few_answers_of_two_weeks_share_are_no_pairs(tmp_path: Path) -> None:
    weeks = [
        [answer(week + n, GROUNDED, 0.9, query=f"{0 if n < 4 else week} {n}?") for n in range(10)]
        for week in (100, 200)
    ]
    page = compared(tmp_path, *weeks)
    assert page.all("h1")[0].text.startswith("Low-grounded: 0 of 10 scored answers before")
    assert "10 only in the first, 10 only in the second." in page.text


def test_a_low_grounded_answer_that_is_new_is_listed_behind_the_changes(tmp_path: Path) -> None:
    page = compared(
        tmp_path,
        [answer(1, GROUNDED, 0.9, query="One?")],
        [answer(1, LOW, 0.3, query="One?"), answer(2, LOW, 0.1, query="Two?")],
    )
    scores = [" ".join(each.text.split()) for each in page.all("span", "score")]
    assert scores == ["0.90 → 0.30", "— → 0.10"]
    assert "1 low-grounded answer is only in the second." in page.all("h1")[0].text
    assert "New → Low-grounded" in words(page, "answers")


def test_changes_are_counted_by_engine(tmp_path: Path) -> None:
    page = compared(
        tmp_path,
        [answer(1, GROUNDED, 0.9, engine="shop"), answer(2, LOW, 0.1, engine=None)],
        [answer(1, LOW, 0.3, engine="shop"), answer(2, LOW, 0.2, engine=None)],
    )
    text = words(page, "engines")
    assert "All 2 1 1 0 -0.25 -0.25" in text
    assert "shop 1 1 1 0 -0.60 -0.60" in text
    assert "unknown 1 0 0 0 +0.10 +0.10" in text


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ((5, 100), (30, 100), "Low-grounded: 5 of 100 scored answers before, 30 of 100 after."),
        ((1, 1), (2, 9), "Low-grounded: 1 of 1 scored answer before, 2 of 9 after."),
        ((0, 0), (1, 2), "No record is in both folders, and there are no rates to compare."),
    ],
    ids=["many", "few", "empty"],
)
def test_weeks_without_common_records_are_compared_by_their_rates(
    tmp_path: Path, before: tuple[int, int], after: tuple[int, int], sentence: str
) -> None:
    weeks = [
        [answer(week + n, LOW if n < low else GROUNDED, 0.1) for n in range(total)]
        for week, (low, total) in ((0, before), (1_000, after))
    ]
    page = compared(tmp_path, *weeks)
    assert page.all("h1")[0].text == sentence
    assert [each.attributes["id"] for each in page.all("section")] == ["rates", "folders"]
    assert " to " not in words(page, "rates")  # what is counted has no interval


@pytest.mark.parametrize(
    ("before", "after", "notice"),
    [
        (("judge", "m-1"), ("judge", "m-1"), None),
        (("judge", "m-1"), ("judge", "m-2"), "different revisions of judge: it may be"),
        (("judge", "m-1"), ("other", "m-1"), "different checkers (judge before, other after)"),
    ],
)
def test_folders_of_different_checkers_are_a_notice(
    tmp_path: Path, before: tuple[str, str], after: tuple[str, str], notice: str | None
) -> None:
    folders = (
        [answer(1, GROUNDED, 0.9, check=a_check(checker=checker, revision=revision))]
        for checker, revision in (before, after)
    )
    notices = compared(tmp_path, *folders).all("p", "notice")
    assert [bool(notice and notice in each.text) for each in notices] == [True] * bool(notice)


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    changed = [an_enriched(record_id=each.record_id) for each in hostile_answers()]
    page = compared(tmp_path, changed, hostile_answers())
    assert SCRIPT in page.text
    assert page.astray == []
    assert len(page.all("script")) == 1
    assert page.tags.isdisjoint({"img", "base", "iframe", "link", "form"})


LISTS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from([None, "a", "b"]), st.sampled_from([None, "q", "r", "s"])
    ),
    max_size=8,
    unique_by=lambda each: each[0],
)


@given(LISTS, LISTS)
def test_no_answer_is_in_two_pairs_and_none_is_lost(
    before: list[tuple[int, str | None, str | None]],
    after: list[tuple[int, str | None, str | None]],
) -> None:
    with closing(PairedAnswers()) as pairs:
        for is_after, rows in enumerate((before, after)):
            for number, name, query in rows:
                row = AnswerRow(
                    record_id=str(number),
                    answer_name=name,
                    query=query,
                    verdict=GROUNDED if is_after else LOW,
                    verdict_reason="",
                )
                pairs.add(row, is_after=bool(is_after))
        pairing = pairs.pair_others()
        total = pairs.total().pairs
        assert total == sum(pairing) == len(pairs.listed(Change.NO_LONGER_LOW, 99))
        assert total + pairs.only_in(is_after=False) == len(before)
        assert total + pairs.only_in(is_after=True) == len(after)


answers = st.lists(
    st.tuples(
        st.integers(0, 6), st.sampled_from([LOW, GROUNDED]), st.sampled_from([None, 0.1, 0.9])
    ),
    max_size=12,
)


@given(answers, answers)
def test_pairs_are_those_of_two_dictionaries(
    before: list[tuple[int, Verdict, float | None]], after: list[tuple[int, Verdict, float | None]]
) -> None:
    pairs = PairedAnswers()
    for is_after, rows in enumerate((before, after)):
        for number, verdict, score in rows:
            row = AnswerRow(
                record_id=str(number), verdict=verdict, verdict_reason="", min_claim_score=score
            )
            pairs.add(row, is_after=bool(is_after))
    # A later record replaces an earlier one of the same id.
    first, second = ({number: rest for number, *rest in rows} for rows in (before, after))
    both = first.keys() & second.keys()
    moves = Counter((str(first[key][0]), str(second[key][0])) for key in both)
    assert pairs.changes() == moves
    assert pairs.only_in(is_after=False) == len(first.keys() - both)
    assert pairs.only_in(is_after=True) == len(second.keys() - both)
    changed = [Change.BECAME_LOW, Change.NO_LONGER_LOW, Change.OTHER]
    listed = [key for change in changed for key in pairs.listed(change, 99)]
    assert sorted(listed) == sorted(str(k) for k in both if first[k][0] != second[k][0])
    low = {key for key in second if second[key][0] == LOW}
    assert set(pairs.listed(Change.NEW_LOW, 99)) == {str(key) for key in low - both}
    still = {str(key) for key in low & both if first[key][0] == LOW}
    assert set(pairs.listed(Change.STILL_LOW, 99)) == still
    assert sum(pairs.counts_of_changes().values()) == len(listed) + len(low - both) + len(still)
    total = pairs.total()
    assert total[:5] == (
        *(None, len(both), moves[GROUNDED, LOW] + moves[LOW, GROUNDED]),
        *(moves[GROUNDED, LOW], moves[LOW, GROUNDED]),
    )
    scored = [second[k][1] - first[k][1] for k in both if None not in (first[k][1], second[k][1])]
    mean = sum(scored) / len(scored) if scored else None
    assert total.claim_change == (None if mean is None else pytest.approx(mean))
    assert isinstance(total, PairCounts)
    pairs.close()


def test_time_grows_with_the_records_and_not_with_their_square() -> None:
    plans = {}
    with closing(PairedAnswers()) as pairs:
        for name in ("_COUNTS", "_LISTED", "_ONLY_IN_ONE", "_PAIR_BY_KEY"):
            query = getattr(comparing, name).format(key="name")
            database = pairs._database
            steps = database.execute(f"EXPLAIN QUERY PLAN {query}", [0] * query.count("?"))
            plans[name] = [step for *_, step in steps]
    # All answers are read once to find what is single; their pairs are found by an index.
    by_key = plans.pop("_PAIR_BY_KEY")
    assert [step for step in by_key if step.startswith("SCAN")] == ["SCAN a"] * 2
    assert any("COVERING INDEX (is_after=? AND key=?)" in step for step in by_key)
    for steps in plans.values():
        assert any("(is_after=? AND record_id=?)" in step for step in steps), plans
        # The rows of the view, one by one as they are found.
        assert not any(step.startswith("SCAN") and step != "SCAN listed" for step in steps), plans
