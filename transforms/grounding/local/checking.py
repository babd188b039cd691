"""The check itself: an answer and its facts in, claims with scores and citations out."""

from collections.abc import Sequence

from schemas import Record
from schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    GroundingFact,
)
from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.find_contradictions import compare_claim, prepare_facts
from transforms.grounding.local.claims import ClaimWords, read_claim
from transforms.grounding.local.facts import Facts, read_facts, read_facts_for
from transforms.grounding.local.rescoring import Entailment, rescore
from transforms.grounding.local.scoring import ClaimInFacts
from transforms.rules.fact_text import needs_index, render_facts, render_without_uris
from transforms.rules.sentences import Sentence, split_sentences
from transforms.rules.support_score import logit, sigmoid, support_score_of_log_odds

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""


class _Finding(Record, frozen=True):
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
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    read = list(zip(sentences, claims, strict=True))
    findings = (
        _find_by_model(read, request.facts, entailment, threshold)
        if entailment
        else _find_by_words(read, request.facts, logit(threshold))
    )
    return _respond(findings, request)


def _find_by_words(
    read: Sequence[_Read], facts: Sequence[GroundingFact], citation_log_odds: float
) -> list[_Finding]:
    described = [(fact.fact_text, fact.attributes) for fact in facts]
    compared = [sentence.text for sentence, claim in read if claim]
    texts = render_facts(described)
    if needs_index(sum(map(len, compared)), texts):
        words = read_facts_for([claim for _, claim in read if claim], texts)
    else:
        words = read_facts(texts)
    sources = prepare_facts(render_without_uris(described, texts), compared)
    return [
        _find(sentence, claim, words, sources, citation_log_odds) if claim else _Finding(sentence)
        for sentence, claim in read
    ]


def _find_by_model(
    read: Sequence[_Read],
    facts: Sequence[GroundingFact],
    entailment: Entailment,
    threshold: float,
) -> list[_Finding]:
    texts = render_facts([(fact.fact_text, fact.attributes) for fact in facts])
    required = [sentence.text for sentence, claim in read if claim]
    rescored = iter(rescore(required, texts, entailment, threshold))
    return [
        _Finding(sentence, *next(rescored)) if claim else _Finding(sentence)
        for sentence, claim in read
    ]


def _find(
    sentence: Sentence,
    claim: ClaimWords,
    facts: Facts,
    sources: ComparedFacts,
    citation_log_odds: float,
) -> _Finding:
    differs = bool(compare_claim(sentence.text, sources, claim.signs))
    in_facts = ClaimInFacts(claim, facts, differs=differs)
    log_odds = in_facts.log_odds()
    cited = in_facts.supporting(citation_log_odds) if log_odds >= citation_log_odds else []
    return _Finding(sentence, log_odds, tuple(cited))


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
    sentence, log_odds = finding.sentence, finding.log_odds
    return CheckedClaim(
        start_pos=sentence.start_byte,
        end_pos=sentence.end_byte,
        claim_text=sentence.text,
        citation_indices=tuple(map(chunk_of.__getitem__, finding.cited)),
        grounding_check_required=log_odds is not None,
        score=sigmoid(log_odds) if with_scores and log_odds is not None else None,
    )
