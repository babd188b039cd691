"""Check an answer against its facts, by words or by a model."""

from collections.abc import Sequence

from schemas import Record
from schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    GroundingFact,
)
from transforms.contradictions.find_contradictions import compare_claim, prepare_facts
from transforms.grounding.local.entailment import Entailment, score_by_entailment
from transforms.grounding.local.scoring import ClaimInFacts, read_facts, read_facts_for
from transforms.grounding.local.words import ClaimWords, read_claim
from transforms.rules.fact_text import needs_index, render_facts, render_without_uris
from transforms.rules.sentences import Sentence, split_sentences
from transforms.rules.support_score import logit, sigmoid, support_score_of_log_odds

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""


class _Result(Record, frozen=True):
    """The result for one claim; without log odds if it requires no check."""

    sentence: Sentence
    log_odds: float | None = None
    cited: tuple[int, ...] = ()


_Claim = tuple[Sentence, ClaimWords | None]
"""A sentence and its words; None if it requires no check."""


def check_grounding(request: CheckRequest, entailment: Entailment | None = None) -> CheckResponse:
    """Check each sentence of an answer against the facts.

    Args:
      request: within the service's limits.
      entailment: scores the claims that require a check; None scores them by their words.

    Returns:
      The service's response; only claims that require a check have a score.
    """
    claims = [
        (sentence, read_claim(sentence.text))
        for sentence in split_sentences(request.answer_candidate)
    ]
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    results = (
        _check_by_model(claims, request.facts, entailment, threshold)
        if entailment
        else _check_by_words(claims, request.facts, logit(threshold))
    )
    return _response(results, request)


def _check_by_words(
    claims: Sequence[_Claim], facts: Sequence[GroundingFact], citation_log_odds: float
) -> list[_Result]:
    described = [(fact.fact_text, fact.attributes) for fact in facts]
    required = [sentence.text for sentence, words in claims if words]
    texts = render_facts(described)
    if needs_index(sum(map(len, required)), texts):
        fact_words = read_facts_for([words for _, words in claims if words], texts)
    else:
        fact_words = read_facts(texts)
    prepared = prepare_facts(render_without_uris(described, texts), required)
    results = []
    for sentence, words in claims:
        if words is None:
            results.append(_Result(sentence))
            continue
        contradicts = bool(compare_claim(sentence.text, prepared, words.features))
        in_facts = ClaimInFacts(words, fact_words, contradicts=contradicts)
        log_odds = in_facts.log_odds()
        cited = in_facts.supporting(citation_log_odds) if log_odds >= citation_log_odds else []
        results.append(_Result(sentence, log_odds, tuple(cited)))
    return results


def _check_by_model(
    claims: Sequence[_Claim],
    facts: Sequence[GroundingFact],
    entailment: Entailment,
    threshold: float,
) -> list[_Result]:
    texts = render_facts([(fact.fact_text, fact.attributes) for fact in facts])
    required = [sentence.text for sentence, words in claims if words]
    scores = iter(score_by_entailment(required, texts, entailment, threshold))
    return [
        _Result(sentence, *next(scores)) if words else _Result(sentence)
        for sentence, words in claims
    ]


def _response(results: list[_Result], request: CheckRequest) -> CheckResponse:
    cited = sorted({fact for result in results for fact in result.cited})
    chunk_of = {fact: chunk for chunk, fact in enumerate(cited)}
    with_scores = bool(request.grounding_spec.enable_claim_level_score)
    return CheckResponse(
        support_score=support_score_of_log_odds(
            [result.log_odds for result in results if result.log_odds is not None]
        ),
        cited_chunks=tuple(_cited_chunk(fact, request.facts[fact]) for fact in cited),
        claims=tuple(_claim(result, chunk_of, with_scores=with_scores) for result in results),
    )


def _cited_chunk(number: int, fact: GroundingFact) -> CitedChunk:
    return CitedChunk(
        chunk_text=fact.fact_text, source=str(number), source_metadata=fact.attributes
    )


def _claim(result: _Result, chunk_of: dict[int, int], *, with_scores: bool) -> CheckedClaim:
    sentence, log_odds = result.sentence, result.log_odds
    return CheckedClaim(
        start_pos=sentence.start_byte,
        end_pos=sentence.end_byte,
        claim_text=sentence.text,
        citation_indices=tuple(map(chunk_of.__getitem__, result.cited)),
        grounding_check_required=log_odds is not None,
        score=sigmoid(log_odds) if with_scores and log_odds is not None else None,
    )
