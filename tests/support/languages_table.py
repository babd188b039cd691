"""Count which verdicts of the embedded checker are right in each language.

python -m tests.support.languages_table

prints the table of docs/embedded_checker.md from the sentences in tests/data/languages.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support.checks import check_request, verdict_of

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
_ROWS = {
    "identical, respelled, or a source named: GROUNDED": ("identical", "respelled"),
    "paraphrased: GROUNDED": ("paraphrased",),
    "a changed number or year: LOW_GROUNDED": ("changed number",),
    "a changed name: LOW_GROUNDED": ("changed name",),
    "negated: LOW_GROUNDED": ("negated",),
    "a refusal, a greeting, an offer of help: no claim": ("refused", "greeting"),
}
"""The forms of each row of the table."""

_GROUNDED = frozenset({"identical", "respelled", "paraphrased"})
_UNSCORABLE = frozenset({"refused", "greeting"})


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
    """Return whether a sentence has the verdict that its form should have."""
    verdict = verdict_of(check_grounding(check_request(sentence.text, sentence.fact)))
    if sentence.form in _UNSCORABLE:
        return verdict == Verdict.UNSCORABLE
    return verdict == (Verdict.GROUNDED if sentence.form in _GROUNDED else Verdict.LOW_GROUNDED)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    counts = {language: Counter[str]() for language in LANGUAGES}
    recognized = {language: Counter[str]() for language in LANGUAGES}
    for language in LANGUAGES:
        for sentence in sentences(language):
            counts[language][sentence.form] += 1
            recognized[language][sentence.form] += is_recognized(sentence)
    yield f"| form: right verdict | {' | '.join(LANGUAGES.values())} |"
    yield "| --- |" + " ---: |" * len(LANGUAGES)
    for row, forms in _ROWS.items():
        cells = (
            f"{sum(recognized[each][form] for form in forms)}"
            f"/{sum(counts[each][form] for form in forms)}"
            for each in LANGUAGES
        )
        yield f"| {row} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table())
