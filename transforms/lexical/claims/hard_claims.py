"""Tell which answers have claims of kinds that words judge badly."""

from collections.abc import Sequence

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.facts.fact_text import fact_attributes
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.lexical.reading.citation_marks import Sources
from .claim_forms import read_claims
from .read_claim import refuses


def has_hard_claim(answer: str, facts: Sequence[Fact], query: str | None) -> bool:
    """Return whether an answer is a short one to what was asked, or states something and refuses.

    "Yes, it does." is the former. The latter is a refusal with a statement beside it, in the same
    sentence or in another: "The documents do not mention X. You can return it within 30 days."
    """
    sources = Sources.of([(fact.text, fact_attributes(fact)) for fact in facts])
    sentences = split_sentences(answer, sources)
    first = next((claim for claim in read_claims(sentences, query) if claim.forms), None)
    if first is None:
        return False
    # No later one is read as a short answer.
    return first.answer is not None or any(refuses(each.text) for each in sentences)
