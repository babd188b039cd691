"""The CSV of answers."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.report.answer_table import COLUMNS, encode_csv, row_of
from launch.report.counts.worst_answers import cut_answer
from schemas.enriched_answer import EnrichedAnswer
from tests.support.builders import NOON_US
from tests.support.reports import a_low, hostile_answers
from tests.support.reports import row_of as avro_row_of
from transforms.rules.redaction import TextMode, redact


def rows_of(*answers: EnrichedAnswer) -> list[dict[str, str]]:
    rows = (row_of(cut_answer(avro_row_of(answer))) for answer in answers)
    text = encode_csv(COLUMNS, rows).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_names_what_a_person_needs() -> None:
    [row] = rows_of(a_low(query="Why?", event_time_us=NOON_US, tags=("A", "B")))
    assert row["verdict"] == "LOW_GROUNDED"
    assert (row["support_score"], row["min_claim_score"]) == ("0.5", "0.1")
    assert row["event_time"] == "2026-03-03T12:00:00.000000Z"
    assert (row["tags"], row["query"]) == ("A B", "Why?")
    assert (row["answer"], row["worst_claim"]) == (
        *("Lamps glow. Kettles vote.", "glow. Kettles vote."),
    )


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_texts_that_were_not_kept_are_absent(mode: TextMode) -> None:
    [row] = rows_of(redact(a_low(query="Why?"), mode))
    assert [row[name] for name in ("query", "answer", "worst_claim")] == ["", "", ""]


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\uff1d1", "\x0b=1"),
        '=HYPERLINK("https://evil.example")',
    ],
)
def test_a_text_that_looks_like_a_formula_gets_an_apostrophe(text: str) -> None:
    [row] = rows_of(a_low(engine=text, query=text, tags=(text,), session=text, answer_name=text))
    assert {row[name] for name in ("engine", "query", "session", "answer_name")} == {f"'{text}"}
    assert row["tags"].startswith("'")


def test_hostile_texts_keep_the_shape_of_the_table() -> None:
    answers = hostile_answers()
    rows = rows_of(*answers)
    assert [row["record_id"] for row in rows] == [answer.record_id for answer in answers]
    assert all(None not in row and None not in row.values() for row in rows)


@given(st.text())
def test_every_other_text_is_read_back_as_it_was(text: str) -> None:
    encoded = encode_csv(("a", "b"), [{"a": f"x{text}", "b": -0.5}]).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(encoded, newline=""))
    assert row == {"a": f"x{text}", "b": "-0.5"}
