"""A supported answer stays supported, and a wrong one wrong, when only its form changes."""

import json
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support.checks import check_request, verdict_of
from tests.support.repository import ROOT

ROWS: list[dict[str, Any]] = list(
    map(json.loads, (ROOT / "tests/data/changed_forms.jsonl").read_text("utf-8").splitlines())
)
Form = Callable[[list[str], str], Iterator[str]]


def joined_without_space(sentences: list[str], _: str) -> Iterator[str]:
    yield "".join(sentences)


def with_escaped_line_breaks(sentences: list[str], _: str) -> Iterator[str]:
    yield "\\n".join(sentences)
    yield "\\n\\n".join(sentences)
    yield "\\r\\n- ".join(sentences)


def with_semicolons(sentences: list[str], _: str) -> Iterator[str]:
    first, *others = [sentence.rstrip(".") for sentence in sentences]
    if all(len(each.split()) > 3 for each in others):
        yield "; ".join([first, *others]) + "."


def with_hard_wraps(sentences: list[str], _: str) -> Iterator[str]:
    for width in (40, 50, 60, 72):
        yield textwrap.fill(" ".join(sentences), width)
        yield "\n".join([textwrap.fill(f"- {each}", width) for each in sentences])
        yield "\n".join([textwrap.fill(each, width, subsequent_indent="   ") for each in sentences])


FORMS: list[Form] = [
    with_hard_wraps,
    joined_without_space,
    with_escaped_line_breaks,
    with_semicolons,
]


def verdict(row: dict[str, Any], answer: str, fact: str) -> str:
    request = replace(check_request(answer, fact), query=row["query"])
    return str(verdict_of(check_grounding(request)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["query"])
def test_the_form_of_an_answer_changes_no_verdict(row: dict[str, Any], form: Form) -> None:
    for answer in form(row["right"], row["query"]):
        assert verdict(row, answer, row["fact"]) == "GROUNDED", answer
    for answer in form([row["right"][0], row["wrong"]], row["query"]):
        assert verdict(row, answer, row["fact"]) == "LOW_GROUNDED", answer


@pytest.mark.parametrize("form", [joined_without_space, with_escaped_line_breaks, with_semicolons])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["query"])
def test_the_form_of_a_fact_changes_no_verdict(row: dict[str, Any], form: Form) -> None:
    for fact in form(re.split(r"(?<=\.) (?=[A-Z])", row["fact"]), row["query"]):
        assert verdict(row, " ".join(row["right"]), fact) == "GROUNDED", fact
        wrong = f"{row['right'][0]} {row['wrong']}"
        assert verdict(row, wrong, fact) == "LOW_GROUNDED", fact
