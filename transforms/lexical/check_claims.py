"""Check an answer against its facts, by words or by a model."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice

from msgspec.structs import replace

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    ClaimMismatch,
)
from groundwatch.transforms.lexical.answer_sentences import Sentence, split_sentences
from groundwatch.transforms.lexical.citation_marks import Sources
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
from groundwatch.transforms.lexical.plain_text import read_plain
from groundwatch.transforms.lexical.scoring import (
    ClaimInFacts,
    Facts,
    read_facts,
    read_long_facts,
    weigh,
)
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

_OWN_NUMBER = re.compile(r"\s*\[(\d{1,3})\]")
_MIN_SHARE = 0.5
"""Facts with this share of a claim's words may contradict or confirm it."""


def check_grounding(request: CheckRequest, scorer: ScoreClaims | None = None) -> CheckResponse:
    """Check each sentence of an answer against the facts, by a model or by the words.

    The request is within the service's limits. Only claims that require a check have a score.
    """
    facts = _described(request)
    sentences = split_sentences(request.answer_candidate, _sources(facts))
    claims = [_read_forms(each) for each in sentences]
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    if scorer:
        required = [bool(forms) for forms in claims]
        results = _check_by_model(request, sentences, required, scorer, threshold)
    else:
        results = _check_by_words(claims, facts, logit(threshold))
    scored = [result.log_odds for result in results if result.log_odds is not None]
    support = support_score_of_log_odds(scored)
    return _response(sentences, list(in_context(results)), support, request)


def has_claims(request: CheckRequest) -> bool:
    """Return whether a sentence of an answer requires a check."""
    sentences = split_sentences(request.answer_candidate, _sources(_described(request)))
    return any(map(_read_forms, sentences))


def _described(request: CheckRequest) -> list[FactAndAttributes]:
    return [(fact.fact_text, fact.attributes) for fact in request.facts]


def _sources(facts: Sequence[FactAndAttributes]) -> Sources:
    names = [name.casefold() for _, each in facts for name in each.values()]
    numbers = [int(found[1]) for text, _ in facts if (found := _OWN_NUMBER.match(text))]
    return Sources(count=len(facts), indices=frozenset(numbers), names=frozenset(names))


def _read_forms(sentence: Sentence) -> list[ClaimWords]:
    """Return the words of a claim in each form that it may be compared in; of no claim, none."""
    own = read_claim(sentence.text, sentence.role)
    named = own and sentence.named and read_claim(sentence.named)
    return [form for form in (own, named) if form]


def find_contradictions(
    claims: Sequence[str], facts: Sequence[FactAndAttributes]
) -> list[list[Difference]]:
    """Find for each claim what it contradicts in the facts, given with their attributes."""
    sources = _sources(facts)
    required = [read_claim(read_plain(claim, sources).text.strip()) for claim in claims]
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
    claims: Sequence[Sequence[ClaimWords]],
    facts: Sequence[FactAndAttributes],
    citation_log_odds: float,
) -> list[ClaimResult]:
    texts = render_facts(facts)
    compared = render_without_uris(facts, texts)
    read = list(chain.from_iterable(claims))
    words = _read(read, texts)
    respelled = [with_spelling_of_facts(claim, words.missing, compared) for claim in read]
    changed = _read([claim for claim in respelled if claim], texts) if any(respelled) else words
    others = iter(respelled)
    results = []
    for forms in claims:
        if not forms:
            results.append(ClaimResult())
            continue
        own = [ClaimInFacts(claim, words) for claim in forms]
        other = [ClaimInFacts(claim, changed) for claim in islice(others, len(forms)) if claim]
        chosen = max(own + other, key=ClaimInFacts.log_odds) if other or own[1:] else own[0]
        log_odds = chosen.log_odds()
        found = _differences_of_forms(own, compared)
        if found:
            results.append(ClaimResult(min(log_odds, _CONTRADICTED), (), found))
        else:
            cited = list(_cited(chosen, log_odds, citation_log_odds))
            results.append(ClaimResult(log_odds, cited, found, _gain(chosen)))
    return results


def _differences_of_forms(forms: Sequence[ClaimInFacts], facts: Sequence[str]) -> list[Difference]:
    """Find differences in the first form that has any; a cell denies its heading, not its row."""
    *bare, last = forms
    for form in bare:
        if found := [
            each for each in _differences(form, facts) if each.kind != ContradictionKind.NEGATION
        ]:
            return found
    return _differences(last, facts)


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
    texts = render_facts(_described(request))
    claims = [
        replace(claim, text=claim.named) if claim.named else claim
        for claim in compress(sentences, required)
    ]
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
    answer = request.answer_candidate.encode()
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
                claim_text=answer[sentence.start_byte : sentence.end_byte].decode(),
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
