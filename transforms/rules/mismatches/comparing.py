"""A claim beside its facts."""

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.answer import Fact
from schemas.checked import Claim, Mismatch
from transforms.rules import phrases
from transforms.rules.mismatches.comparing_dates import compare_dates
from transforms.rules.mismatches.comparing_denials import compare_denials
from transforms.rules.mismatches.comparing_names import compare_names
from transforms.rules.mismatches.comparing_numbers import compare_numbers
from transforms.rules.mismatches.difference import Difference
from transforms.rules.mismatches.reading.dates import names_month
from transforms.rules.mismatches.reading.denials import denies_anything
from transforms.rules.mismatches.reading.names import words_with_capitals
from transforms.rules.mismatches.reading.quantities import number_phrases
from transforms.rules.mismatches.sentence import Sentence
from transforms.rules.mismatches.sources import Sources
from transforms.rules.self_contained import self_contained

_COMPARISONS = (compare_dates, compare_numbers, compare_names, compare_denials)

_DIGIT = re.compile(r"\d")
_BRACKETED = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
"""A citation such as ``[3]`` or ``(1, 2)``, which counts sources and states nothing."""


def find_mismatches(claims: Sequence[Claim], facts: Iterable[Fact]) -> tuple[Mismatch, ...]:
    """Find what claims say otherwise than the facts.

    Args:
      claims: of an answer; those that required no check, or have no score, are passed over.
      facts: all facts of the answer.

    Returns:
      The mismatches, in the claims' order.
    """
    sources = Sources(map(text_of, facts))
    return tuple(
        Mismatch(
            claim=number,
            kind=difference.kind,
            claim_value=difference.claim_value,
            fact_value=difference.fact_value,
            fact=difference.fact,
        )
        for number, claim in enumerate(claims)
        if claim.required_score is not None
        for difference in differences(claim.text, sources)
    )


def differs(claim: str, sources: Sources) -> bool:
    """Tell whether a claim says anything otherwise than the facts."""
    return next(differences(claim, sources), None) is not None


def differences(claim: str, sources: Sources) -> Iterator[Difference]:
    """Compare one claim with the facts."""
    if _may_differ(claim, sources) and not sources.states(claim):
        sentence = Sentence(_without_references(claim) if _DIGIT.search(claim) else claim)
        passages = sources.passages_near(sentence)
        for compare in _COMPARISONS:
            yield from compare(sentence, sources, passages)


def _may_differ(claim: str, sources: Sources) -> bool:
    """Tell whether a claim has anything that could differ; reading it takes many times as long.

    A year that stands in the facts with the same word behind it is their year.
    """
    lower = claim.lower()
    return (
        not all(map(sources.has_phrase, number_phrases(lower)))
        or names_month(claim)
        or denies_anything(lower)
        or any(map(lower.__contains__, sources.may_be_denied))
        or sources.lacks_any(words_with_capitals(claim))
    )


def _without_references(claim: str) -> str:
    return phrases.REFERENCE.sub(" ", _BRACKETED.sub(" ", claim))


def text_of(fact: Fact) -> str:
    """Return a fact's text with its title and attributes, which the check sees, too."""
    told = self_contained(fact.text)
    return "\n".join(filter(None, (told, fact.title, *fact.attributes.values())))
