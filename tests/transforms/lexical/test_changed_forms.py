"""A supported answer stays supported, and a wrong one wrong, when only its form changes."""

# ruff: noqa: RUF001 - the punctuation of several scripts is tested here

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


def with_separators(sentences: list[str], _: str) -> Iterator[str]:
    first, *others = [sentence.rstrip(".") for sentence in sentences]
    if all(len(each.split()) > 3 for each in (first, *others)):
        yield "; ".join([first, *others]) + "."
        for mark in ("…", " –", " —", " |", " •", " 😊", " ✅", " ☎️"):
            yield f"{mark} ".join([first, *others]) + mark


def with_roman_numerals(sentences: list[str], _: str) -> Iterator[str]:
    numbered = zip(("I.", "II.", "III.", "IV."), sentences, strict=False)
    yield "\n".join(f"{number} {each}" for number, each in numbered)


def with_links_behind(sentences: list[str], _: str) -> Iterator[str]:
    *others, last = sentences
    link = "([Help centre](https://x.example/help))"
    yield " ".join([*others, f"{last.rstrip('.')} {link}."])
    yield " ".join([*others, f"{last} {link}"])


def as_json(sentences: list[str], _: str) -> Iterator[str]:
    yield json.dumps({"answers": sentences})
    yield json.dumps({"answer": " ".join(sentences)}, ensure_ascii=False)


def with_hard_wraps(sentences: list[str], _: str) -> Iterator[str]:
    for width in (40, 50, 60, 72):
        yield textwrap.fill(" ".join(sentences), width)
        yield "\n".join([textwrap.fill(f"- {each}", width) for each in sentences])
        yield "\n".join([textwrap.fill(each, width, subsequent_indent="   ") for each in sentences])


def with_ending(*endings: str) -> Form:
    """Return the form of an answer with one of some endings behind it."""

    def each(sentences: list[str], _: str) -> Iterator[str]:
        for ending in endings:
            yield f"{' '.join(sentences)}\n\n{ending}"

    return each


with_signature = with_ending(
    *("Best regards,\nAva", "Kind regards,\nMarco Rossi\nCustomer Care", "Cheers!\nLena"),
    *("Best,\nAva from Acme", "Your Acme team\nAva Miller", "Sincerely,\n\nAva"),
    *("Viele Grüße\nJana Weber", "Cordialement,\nCamille", "Saludos,\nLucía"),
    "Un saludo,\nLucía Gómez\nAtención al cliente",
)
with_confidence = with_ending(
    "Confidence: 0.87", "(Konfidenz: 0,87)", "Confiance : 0,9", "Confianza: 0.87"
)
with_buttons = with_ending(
    *("[Contact support]", "[Track my order] [Return an item]", "👉 [Start a return]"),
    *("[Support kontaktieren]", "[Ja] [Nein]", "[Suivre ma commande]"),
    *("[Más información](https://x.example/a)", "👉 [Zum Retourenportal](https://x.example/r)"),
    "[Learn more](https://x.example/a) | [En savoir plus](https://x.example/b)",
)


def with_progress_of_tool(sentences: list[str], _: str) -> Iterator[str]:
    for line in (
        *("Searching the knowledge base…", "🔍 Searching documents...", "Checking your order…"),
        *("Durchsuche die Wissensdatenbank…", "Recherche en cours...", "Buscando..."),
    ):
        yield f"{line}\n{' '.join(sentences)}"


def with_courtesy_behind_signs(sentences: list[str], _: str) -> Iterator[str]:
    answer = " ".join(sentences)
    for courtesy in (
        *("🙂 Happy to help!", "“Happy to help!”", "👋 Hi there! How can I help you today?"),
        *("🙂 Gerne helfe ich Ihnen!", "« Bonne question ! »", "👋 ¡Hola!"),
        *("🙂 I can forward your request to our team.", "“How can I help you today?”"),
    ):
        yield f"{courtesy}\n{answer}"
        yield f"{courtesy} {answer}"
        yield f"{answer} {courtesy}"


def with_question_without_mark(sentences: list[str], query: str) -> Iterator[str]:
    answer, asked = " ".join(sentences), query.strip("¿? ")
    yield f"{asked}\n{answer}"
    yield f"{asked}.\n\n{answer}"
    yield f"**{asked}**\n{answer}"
    yield f"Q: {asked}\nA: {answer}"


def in_capitals(sentences: list[str], _: str) -> Iterator[str]:
    answer = " ".join(sentences)
    yield answer.upper()
    yield re.sub(r"(?<![\w'])\w", lambda letter: letter[0].upper(), answer)


def in_numbered_table(sentences: list[str], _: str) -> Iterator[str]:
    for number in ("#", "No.", "Nr.", "Step", "Étape", ""):
        rows = [f"| {place} | {each} |" for place, each in enumerate(sentences, 1)]
        yield "\n".join([f"| {number} | Answer |", "|---|---|", *rows])


def with_raised_notes(sentences: list[str], _: str) -> Iterator[str]:
    answer = " ".join(sentences)
    for note in ("<sup>4</sup>", "<sup>4,5</sup>", '<sup><a href="#n4">4</a></sup>', "⁴"):
        yield re.sub(r"([$£€][\d.,]*\d|\d ?€)", rf"\1{note}", answer)
        yield re.sub(r"(\d (?:days|Tage|jours|euros|Euro|kg|hours))\b", rf"\1{note}", answer)
        yield re.sub(r"\.$", f"{note}.", answer)


def with_title_behind(sentences: list[str], _: str) -> Iterator[str]:
    *others, last = sentences
    for title in ("Refund policy", "Help center", "Versandbedingungen", "Conditions générales"):
        yield " ".join([*others, f"{last.rstrip('.')} ({title})."])
        yield " ".join([*others, f"{last} ({title})"])


FORMS_OF_FACTS: list[Form] = [
    *(with_hard_wraps, joined_without_space, with_escaped_line_breaks, with_separators)
]
FORMS: list[Form] = [
    *(in_numbered_table, with_raised_notes, with_buttons, with_confidence),
    *(with_signature, with_progress_of_tool, with_courtesy_behind_signs, in_capitals),
    *(with_question_without_mark, with_roman_numerals, with_links_behind, as_json),
    *FORMS_OF_FACTS,
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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["query"])
def test_a_title_behind_a_wrong_statement_hides_nothing(row: dict[str, Any]) -> None:
    for answer in with_title_behind([row["right"][0], row["wrong"]], row["query"]):
        assert verdict(row, answer, row["fact"]) == "LOW_GROUNDED", answer
    titled = f"Refund policy\n{row['fact']}"
    right, *_ = with_title_behind(row["right"], row["query"])
    assert verdict(row, right, titled) == "GROUNDED", right


@pytest.mark.parametrize("form", FORMS_OF_FACTS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["query"])
def test_the_form_of_a_fact_changes_no_verdict(row: dict[str, Any], form: Form) -> None:
    for fact in form(re.split(r"(?<=\.) (?=[A-Z])", row["fact"]), row["query"]):
        assert verdict(row, " ".join(row["right"]), fact) == "GROUNDED", fact
        wrong = f"{row['right'][0]} {row['wrong']}"
        assert verdict(row, wrong, fact) == "LOW_GROUNDED", fact
