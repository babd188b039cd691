"""Check an answer against its facts, by words or by a model."""

from collections.abc import Iterator, Sequence
from itertools import compress

from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    ClaimMismatch,
    GroundingFact,
)
from groundwatch.transforms.lexical.claim_result import ClaimResult, ScoreClaims
from groundwatch.transforms.lexical.claims import read_claim
from groundwatch.transforms.lexical.contradictions import Difference, find_differences
from groundwatch.transforms.lexical.equal_forms import with_spelling_of_facts
from groundwatch.transforms.lexical.fact_text import (
    FactAndAttributes,
    needs_index,
    render_facts,
    render_without_uris,
)
from groundwatch.transforms.lexical.scoring import (
    ClaimInFacts,
    Facts,
    read_facts,
    read_long_facts,
    weigh,
)
from groundwatch.transforms.lexical.sentences import Sentence, split_sentences
from groundwatch.transforms.lexical.support_score import (
    logit,
    sigmoid,
    support_score_of_log_odds,
    support_share,
)
from groundwatch.transforms.lexical.words import ClaimWords

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""

_CONTRADICTED = logit(0.2)
"""A claim that contradicts a fact scores at most that."""

_SUPPORTED = logit(0.6)
_MAX_GAIN, _LITTLE, _MUCH = 1.0, 0.35, 0.55
"""How much the log odds of a claim gain at most, and the shares of its words that the facts have
from which it gains, and gains most."""

_MIN_SHARE = 0.5
"""Facts with this share of a claim's words may contradict or confirm it."""


def check_grounding(request: CheckRequest, scorer: ScoreClaims | None = None) -> CheckResponse:
    """Check each sentence of an answer against the facts, by a model or by the words.

    The request is within the service's limits. Only claims that require a check have a score.
    """
    sentences = split_sentences(request.answer_candidate)
    claims = [read_claim(each.text, is_heading=each.is_heading) for each in sentences]
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    if scorer:
        required = [claim is not None for claim in claims]
        results = _check_by_model(request, sentences, required, scorer, threshold)
    else:
        results = _check_by_words(claims, request.facts, logit(threshold))
    scored = [result.log_odds for result in results if result.log_odds is not None]
    support = support_score_of_log_odds(scored)
    return _response(sentences, list(in_context(results)), support, request)


def has_claims(answer: str) -> bool:
    """Return whether a sentence of an answer requires a check."""
    sentences = split_sentences(answer)
    return any(read_claim(each.text, is_heading=each.is_heading) for each in sentences)


def find_contradictions(
    claims: Sequence[str], facts: Sequence[FactAndAttributes]
) -> list[list[Difference]]:
    """Find for each claim what it contradicts in the facts, given with their attributes."""
    required = [read_claim(claim) for claim in claims]
    read = [claim for claim in required if claim]
    texts = render_facts(facts)
    words = _read(read, texts)
    compared = render_without_uris(facts, texts)
    found = (_differences(ClaimInFacts(claim, words), compared) for claim in read)
    return [next(found) if claim else [] for claim in required]


def _read(claims: Sequence[ClaimWords], texts: Sequence[str]) -> Facts:
    is_long = needs_index(sum([len(claim.text) for claim in claims]), texts)
    return read_long_facts(claims, texts) if is_long else read_facts(claims, texts)


def _check_by_words(
    claims: Sequence[ClaimWords | None], facts: Sequence[GroundingFact], citation_log_odds: float
) -> list[ClaimResult]:
    described = [(fact.fact_text, fact.attributes) for fact in facts]
    texts = render_facts(described)
    compared = render_without_uris(described, texts)
    read = [claim for claim in claims if claim]
    words = _read(read, texts)
    respelled = [with_spelling_of_facts(claim, words.missing, compared) for claim in read]
    changed = _read([claim for claim in respelled if claim], texts) if any(respelled) else words
    others = iter(respelled)
    results = []
    for claim in claims:
        if not claim:
            results.append(ClaimResult())
            continue
        own = chosen = ClaimInFacts(claim, words)
        if other := next(others):
            chosen = max(own, ClaimInFacts(other, changed), key=ClaimInFacts.log_odds)
        log_odds = chosen.log_odds()
        found = _differences(own, compared)
        if found:
            results.append(ClaimResult(min(log_odds, _CONTRADICTED), (), found))
        else:
            cited = list(_cited(chosen, log_odds, citation_log_odds))
            results.append(ClaimResult(log_odds, cited, found, _gain(chosen)))
    return results


def _differences(claim: ClaimInFacts, facts: Sequence[str]) -> list[Difference]:
    return find_differences(claim.claim, facts, claim.comparable_facts(_MIN_SHARE))


def _gain(claim: ClaimInFacts) -> float:
    """Return what a claim gains at most beside supported ones; with an unseen number, nothing."""
    if claim.misses_number():
        return 0.0
    return _MAX_GAIN * min(max((claim.coverage() - _LITTLE) / (_MUCH - _LITTLE), 0.0), 1.0)


def in_context(results: Sequence[ClaimResult]) -> Iterator[ClaimResult]:
    """Raise low scores of claims of whose words the facts have many, beside supported claims.

    The more claims an answer has, the likelier one of them is said in other words than the facts'.
    """
    scored = [each.log_odds for each in results if each.log_odds is not None]
    total = support_share(scored)
    for result in results:
        log_odds = result.log_odds
        if log_odds is None or not result.gain or log_odds >= _SUPPORTED or len(scored) == 1:
            yield result
        else:
            beside = (total - support_share([log_odds])) / (len(scored) - 1)
            yield result._replace(log_odds=min(_SUPPORTED, log_odds + result.gain * beside))


def _cited(claim: ClaimInFacts, log_odds: float, least: float) -> Iterator[int]:
    if log_odds >= least:
        for fact, counts in claim.alone():
            if weigh(claim.claim, counts) >= least:
                yield fact


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
    sentences: Sequence[Sentence],
    results: Sequence[ClaimResult],
    support: float | None,
    request: CheckRequest,
) -> CheckResponse:
    cited = sorted({fact for result in results for fact in result.cited})
    chunk_of = {fact: chunk for chunk, fact in enumerate(cited)}
    with_scores = request.grounding_spec.enable_claim_level_score
    return CheckResponse(
        support_score=support,
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
                mismatches=None
                if result.differences is None
                else tuple([ClaimMismatch(**each._asdict()) for each in result.differences]),
            )
            for sentence, result in zip(sentences, results, strict=True)
        ),
    )
