"""A claim beside the sentences of the facts: what all rules about contradictions share."""

import re

from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.parsed_sentence import (
    NUMBER,
    SOURCE,
    Features,
    ParsedSentence,
    read_features,
)
from transforms.contradictions.passages import NearSentence, Sentences, nearest
from transforms.rules.cache import CachedAttribute
from transforms.rules.phrases import without_references

# A citation, such as ``[3]`` or ``(1, 2)``, whose numbers state nothing.
_CITATION = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")


class Comparison:
    """A claim without its citations, and the sentences that it is compared with."""

    def __init__(self, claim: ParsedSentence, facts: ComparedFacts) -> None:
        self.claim, self.facts = claim, facts

    @CachedAttribute
    def sentences(self) -> Sentences:
        """The sentences."""
        return self.facts.sentences_near(self.claim)

    @CachedAttribute
    def near(self) -> list[NearSentence]:
        """The sentences with at least half of the claim's content words, or one less."""
        return self.sentences.near(self.claim.content)

    @CachedAttribute
    def nearest(self) -> NearSentence | None:
        """The first sentence with most, and at least half, of the claim's content words."""
        return nearest(self.near, self.claim)


def read_claim_text(claim: str, features: Features | None = None) -> ParsedSentence:
    """Return a claim without its citations and references to sources, which have numbers."""
    features = features or read_features(claim)
    if not features.kinds & NUMBER:
        return ParsedSentence(claim, features)
    text = _CITATION.sub(" ", claim) if "[" in claim or "(" in claim else claim
    text = without_references(text) if features.kinds & SOURCE else text
    return ParsedSentence(text, features if text == claim else None)
