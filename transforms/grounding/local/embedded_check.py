"""Check an answer against its facts, by words or by a model."""

from collections.abc import Sequence
from itertools import compress

from schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    GroundingFact,
)
from transforms.contradictions.find_contradictions import compare_claim, prepare_facts
from transforms.grounding.local.claim_result import ClaimResult, ScoreClaims
from transforms.grounding.local.scoring import compare_with_long_facts, compare_words, weigh
from transforms.grounding.local.words import ClaimWords, read_claim
from transforms.rules.fact_text import needs_index, render_facts, render_without_uris
from transforms.rules.sentences import Sentence, split_sentences
from transforms.rules.support_score import logit, sigmoid, support_score_of_log_odds

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""


def check_grounding(request: CheckRequest, scorer: ScoreClaims | None = None) -> CheckResponse:
    """Check each sentence of an answer against the facts, by a model or by the words.

    The request is within the service's limits. Only claims that require a check have a score.
    """
    sentences = split_sentences(request.answer_candidate)
    claims = [(sentence.text, read_claim(sentence.text)) for sentence in sentences]
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    if scorer:
        required = [words is not None for _, words in claims]
        results = _check_by_model(request, sentences, required, scorer, threshold)
    else:
        results = _check_by_words(claims, request.facts, logit(threshold))
    return _response(sentences, results, request)


def _check_by_words(
    claims: Sequence[tuple[str, ClaimWords | None]],
    facts: Sequence[GroundingFact],
    citation_log_odds: float,
) -> list[ClaimResult]:
    described = [(fact.fact_text, fact.attributes) for fact in facts]
    required = [text for text, words in claims if words]
    texts = render_facts(described)
    is_long = needs_index(sum(map(len, required)), texts)
    compare = compare_with_long_facts if is_long else compare_words
    compared = iter(compare([words for _, words in claims if words], texts))
    prepared = prepare_facts(render_without_uris(described, texts), required)
    results = []
    for text, words in claims:
        if words is None:
            results.append(ClaimResult())
            continue
        contradicts = bool(compare_claim(text, prepared, words.features))
        together, alone = next(compared)
        log_odds = weigh(words, together, contradicts=contradicts)
        cited = []
        if log_odds >= citation_log_odds:
            for fact, counts in alone:
                if weigh(words, counts, contradicts=contradicts) >= citation_log_odds:
                    cited.append(fact)
        results.append(ClaimResult(log_odds, cited))
    return results


def _check_by_model(
    request: CheckRequest,
    sentences: Sequence[Sentence],
    required: Sequence[bool],
    scorer: ScoreClaims,
    threshold: float,
) -> list[ClaimResult]:
    texts = render_facts([(fact.fact_text, fact.attributes) for fact in request.facts])
    claims = list(compress(sentences, required))
    scores = iter(scorer(request.answer_candidate, claims, texts, threshold))
    return [next(scores) if needs_check else ClaimResult() for needs_check in required]


def _response(
    sentences: Sequence[Sentence], results: Sequence[ClaimResult], request: CheckRequest
) -> CheckResponse:
    cited = sorted({fact for result in results for fact in result.cited})
    chunk_of = {fact: chunk for chunk, fact in enumerate(cited)}
    with_scores = request.grounding_spec.enable_claim_level_score
    return CheckResponse(
        support_score=support_score_of_log_odds(
            [result.log_odds for result in results if result.log_odds is not None]
        ),
        cited_chunks=tuple(
            CitedChunk(
                chunk_text=request.facts[fact].fact_text,
                source=str(fact),
                source_metadata=request.facts[fact].attributes,
            )
            for fact in cited
        ),
        claims=tuple(
            CheckedClaim(
                start_pos=sentence.start_byte,
                end_pos=sentence.end_byte,
                claim_text=sentence.text,
                citation_indices=tuple(map(chunk_of.__getitem__, result.cited)),
                grounding_check_required=result.log_odds is not None,
                score=None
                if result.log_odds is None or not with_scores
                else sigmoid(result.log_odds),
            )
            for sentence, result in zip(sentences, results, strict=True)
        ),
    )
