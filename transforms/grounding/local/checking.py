"""The check itself: an answer and its facts in, claims with scores and citations out."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from schemas.wire.check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    GroundingFact,
)
from transforms.grounding.local.claims import ClaimWords, read_claim
from transforms.grounding.local.index import FactIndex, index_facts
from transforms.grounding.local.rescoring import Entailment, rescore
from transforms.grounding.local.scoring import claim_log_odds, lowered
from transforms.rules.log_odds import logit, sigmoid
from transforms.rules.mismatches.comparing import differs
from transforms.rules.mismatches.sources import Sources
from transforms.rules.self_contained import self_contained
from transforms.rules.sentences import Sentence, split_sentences
from transforms.rules.support import support_score_of_log_odds

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""

_MAX_CANDIDATES = 8
_MIN_COVERAGE = 1 / 3
"""Which facts are looked at for a citation: so many of those that hold this share of a claim's
content words. They bound the work; a fact that holds less has no chance at the threshold."""


class _Finding(NamedTuple):
    """What was found out about one claim; no log odds where no check is required."""

    sentence: Sentence
    log_odds: float | None = None
    cited: tuple[int, ...] = ()


_Read = tuple[Sentence, ClaimWords | None]
"""A sentence and the words to check it by; None where it requires no check."""


def check_grounding(request: CheckRequest, entailment: Entailment | None = None) -> CheckResponse:
    """Check each sentence of an answer against the facts, by words alone unless a model is given.

    Args:
      request: within the service's limits.
      entailment: scores the claims that require a check; which these are is told by words.

    Returns:
      The service's response; a score only of claims that require a check.
    """
    sentences = split_sentences(request.answer_candidate)
    claims = [read_claim(sentence.text) for sentence in sentences]
    texts = [_words_of_fact(fact) for fact in request.facts]
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    read = list(zip(sentences, claims, strict=True))
    findings = (
        _find_by_model(read, texts, entailment, threshold)
        if entailment
        else _find_by_words(read, texts, logit(threshold))
    )
    return _respond(findings, request)


def _words_of_fact(fact: GroundingFact) -> str:
    """Return the fact's text with its attributes, which take part in the service's check too."""
    return "\n".join((self_contained(fact.fact_text), *fact.attributes.values()))


def _find_by_words(
    read: Sequence[_Read], texts: Sequence[str], citation_log_odds: float
) -> list[_Finding]:
    claims = [claim for _, claim in read if claim]
    facts, sources = index_facts(texts, claims), Sources(texts)
    return [
        _find(sentence, claim, facts, sources, citation_log_odds) if claim else _Finding(sentence)
        for sentence, claim in read
    ]


def _find_by_model(
    read: Sequence[_Read], texts: Sequence[str], entailment: Entailment, threshold: float
) -> list[_Finding]:
    required = [sentence.text for sentence, claim in read if claim]
    rescored = iter(rescore(required, texts, entailment, threshold))
    return [
        _Finding(sentence, *next(rescored)) if claim else _Finding(sentence)
        for sentence, claim in read
    ]


def _find(
    sentence: Sentence,
    claim: ClaimWords,
    facts: FactIndex,
    sources: Sources,
    citation_log_odds: float,
) -> _Finding:
    together = facts.together
    best = whole = claim_log_odds(claim, together, claim.distinct & together.places.keys())
    by_fact = {}
    for number, found in _candidates(claim, facts):
        fact = facts.each[number]
        floor = min(best, citation_log_odds)
        log_odds = whole if fact is together else claim_log_odds(claim, fact, found, floor=floor)
        by_fact[number] = log_odds
        best = max(best, log_odds)
    if differs(sentence.text, sources):
        best = lowered(best)
        by_fact = {number: lowered(log_odds) for number, log_odds in by_fact.items()}
    cited = (number for number, log_odds in by_fact.items() if log_odds >= citation_log_odds)
    return _Finding(sentence, best, tuple(cited))


def _candidates(claim: ClaimWords, facts: FactIndex) -> list[tuple[int, AbstractSet[str]]]:
    """Return the facts that may support a claim by themselves, the likeliest first.

    Each comes with the claim's content forms that it holds.
    """
    found = [claim.distinct & index.places.keys() for index in facts.each]
    sizes = list(map(len, found))
    ranked = sorted(range(len(found)), key=sizes.__getitem__, reverse=True)[:_MAX_CANDIDATES]
    return [(n, found[n]) for n in ranked if sizes[n] >= _MIN_COVERAGE * len(claim.distinct)]


def _respond(findings: list[_Finding], request: CheckRequest) -> CheckResponse:
    cited = sorted({fact for finding in findings for fact in finding.cited})
    chunk_of = {fact: chunk for chunk, fact in enumerate(cited)}
    with_scores = bool(request.grounding_spec.enable_claim_level_score)
    return CheckResponse(
        support_score=support_score_of_log_odds(
            [finding.log_odds for finding in findings if finding.log_odds is not None]
        ),
        cited_chunks=tuple(_cite(fact, request.facts[fact]) for fact in cited),
        claims=tuple(_report(finding, chunk_of, with_scores=with_scores) for finding in findings),
    )


def _cite(number: int, fact: GroundingFact) -> CitedChunk:
    return CitedChunk(
        chunk_text=fact.fact_text, source=str(number), source_metadata=fact.attributes
    )


def _report(finding: _Finding, chunk_of: dict[int, int], *, with_scores: bool) -> CheckedClaim:
    sentence, log_odds, cited = finding
    return CheckedClaim(
        start_pos=sentence.start_byte,
        end_pos=sentence.end_byte,
        claim_text=sentence.text,
        citation_indices=tuple(chunk_of[fact] for fact in cited),
        grounding_check_required=log_odds is not None,
        score=sigmoid(log_odds) if with_scores and log_odds is not None else None,
    )
