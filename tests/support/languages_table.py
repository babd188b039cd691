"""Count what the embedded checker and the tags recognize in each language.

python -m tests.support.languages_table

prints the table of docs/checkers.md from the sentences in tests/data/languages.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim
from schemas.verdict import ContradictionKind
from tests.support.checks import check_request
from transforms.contradictions.find_contradictions import find_contradictions
from transforms.grounding.local.embedded_check import check_grounding

_FOLDER = Path(__file__).parents[1] / "data" / "languages"
LANGUAGES = {
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "ja": "Japanese",
    "zh": "Chinese",
}
_CITED_FROM = 0.6
_NUMBERS = {ContradictionKind.NUMBER, ContradictionKind.DATE, ContradictionKind.UNIT}
_ROWS = {
    "identical": "identical: scored from 0.6, no tag",
    "respelled": "a number spelled in another way, or a source named: no tag",
    "paraphrased": "paraphrased: no tag",
    "changed number": "a changed number or year: tagged",
    "changed name": "a changed name: tagged",
    "negated": "negated: tagged",
    "refused": "a refusal: no claim",
    "greeting": "a greeting or an offer of help: no claim",
}
"""The rows of the table, by form."""


class Sentence(Record, frozen=True):
    """A sentence in one form, and the fact that it says or changes."""

    form: str
    text: str
    fact: str = ""


def sentences(language: str) -> list[Sentence]:
    """Return the sentences of a language."""
    lines = _FOLDER.joinpath(f"{language}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Sentence) for line in lines]


def is_recognized(sentence: Sentence) -> bool:
    """Return whether a sentence is recognized as what its form says."""
    claims = [
        Claim(
            text=claim.claim_text, start=claim.start_pos or 0, end=claim.end_pos, score=claim.score
        )
        for claim in check_grounding(check_request(sentence.text, sentence.fact)).claims
    ]
    scores = [claim.score for claim in claims if claim.score is not None]
    found = {each.kind for each in find_contradictions(claims, [Fact(text=sentence.fact)])}
    return {
        "identical": not found and len(claims) == 1 and min(scores, default=0.0) >= _CITED_FROM,
        "respelled": not found and bool(scores),
        "paraphrased": not found and bool(scores),
        "changed number": not _NUMBERS.isdisjoint(found),
        "changed name": ContradictionKind.NAME in found,
        "negated": ContradictionKind.NEGATION in found,
    }.get(sentence.form, not scores)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    counts = {language: Counter[str]() for language in LANGUAGES}
    recognized = {language: Counter[str]() for language in LANGUAGES}
    for language in LANGUAGES:
        for sentence in sentences(language):
            counts[language][sentence.form] += 1
            recognized[language][sentence.form] += is_recognized(sentence)
    yield f"| form: recognized if | {' | '.join(LANGUAGES.values())} |"
    yield "| --- |" + " ---: |" * len(LANGUAGES)
    for form, row in _ROWS.items():
        cells = (f"{recognized[each][form]}/{counts[each][form]}" for each in LANGUAGES)
        yield f"| {row} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table())
