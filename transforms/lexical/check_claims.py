"""Check an answer against its facts, by words or by a model."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice

from msgspec.structs import replace

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
    ClaimMismatch,
)
from .claims.claim_forms import ClaimForms, read_claims
from .claims.facts_asked import agree, has_value
from .claims.short_answers import ShortAnswer
from .contradictions.difference import Difference
from .contradictions.find_differences import MAX_CLAIM_TOKENS, find_differences
from .contradictions.unseen_values import unseen_values_of
from .facts.fact_text import FactAndAttributes, render_facts, render_without_uris
from .language.words import read_words
from .reading.answer_sentences import Sentence, split_sentences
from .reading.citation_marks import Sources
from .reading.plain_text import read_plain
from .scores.claim_result import WRONG, ClaimResult, ScoreClaims, ScoredAnswer
from .scores.equal_forms import with_spelling_of_facts
from .scores.scoring import ClaimInFacts, read_facts
from .scores.support_score import logit, sigmoid, support_score_of_log_odds, support_share
from .scores.weighted_sum import MODEL_ALONE, WeightedSum
from .values.limits import read_premises
from .values.value import Value

REVISION = "words-2"
"""The version of these rules: another one gives other replies."""

_DEFAULT_CITATION_THRESHOLD = 0.6
"""Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding"""

_DENIED, _SAID = logit(0.3), logit(0.65)
_SUPPORTED = logit(0.6)
_MAX_GAIN, _LITTLE, _MUCH = 1.0, 0.35, 0.55
"""How much the log odds of a claim gain at most, and the shares of its words that the facts have
from which it gains, and gains most."""

_MOST_OF_A_QUESTION = 0.75
_MIN_SHARE = 0.5
"""Facts with this share of a claim's words may contradict or confirm it."""


def check_grounding(
    request: CheckRequest, scorer: ScoreClaims | None = None, rule: WeightedSum = MODEL_ALONE
) -> CheckResponse:
    """Check each sentence of an answer against the facts, by the words, a model, or both.

    The request is within the service's limits. Only claims that require a check have a score. The
    log odds of the `scorer` are added to those of the words as the `rule` says, or replace them.
    Words alone decide in a language that it does not read, and of claims that they are certain of.
    """
    facts = _described(request)
    sentences = split_sentences(request.answer_candidate, Sources.of(facts))
    claims = read_claims(sentences, request.query)
    given = request.grounding_spec.citation_threshold
    threshold = _DEFAULT_CITATION_THRESHOLD if given is None else given
    by_words = partial(_check_by_words, claims, facts, request.query, logit(threshold))
    words = None if scorer and rule.is_model_alone else by_words()
    model = None
    if scorer:
        asked = [
            _for_model(claim, sentence)
            if claim.forms and (words is None or rule.is_uncertain(words[number]))
            else None
            for number, (claim, sentence) in enumerate(zip(claims, sentences, strict=True))
        ]
        model = _check_by_model(request, asked, scorer, threshold)
    if model is not None and words is None:
        alone = beside_others = model
    else:
        alone = by_words() if words is None else words
        beside_others = list(in_context(alone))
        if model is not None:
            add = partial(rule.add, citation_log_odds=logit(threshold))
            alone, beside_others = (list(map(add, each, model)) for each in (alone, beside_others))
    # The mean over the claims counts each of them once: as it stands alone.
    support = support_score_of_log_odds(
        [each.log_odds for each in alone if each.log_odds is not None]
    )
    response = _response(sentences, beside_others, support, request)
    return replace(
        response,
        unread_language=scorer is not None and model is None,
        partly_compared=any(each.is_partly_compared for each in alone),
    )


def has_claims(request: CheckRequest) -> bool:
    """Return whether a sentence of an answer requires a check, whatever was asked."""
    sentences = split_sentences(request.answer_candidate, Sources.of(_described(request)))
    return any(each.forms for each in read_claims(sentences, None))


def _described(request: CheckRequest) -> list[FactAndAttributes]:
    return [(fact.fact_text, fact.attributes) for fact in request.facts]


def find_contradictions(
    claims: Sequence[str],
    facts: Sequence[FactAndAttributes],
    query: str | None = None,
    *,
    is_first: bool = True,
) -> list[list[Difference]]:
    """Find for each claim what it contradicts in the facts, given with their attributes.

    The claims are in their order in the answer. The first of them may be a short answer to the
    query, if it `is_first` in the answer, too.
    """
    sources = Sources.of(facts)
    plain = (read_plain(claim, sources).text.strip() for claim in claims)
    sentences = [Sentence(text=text, start_byte=0, end_byte=0) for text in plain]
    read = read_claims(sentences, query if is_first else None)
    texts = render_facts(facts)
    words = read_facts([form for claim in read for form in claim.forms], texts)
    compared = render_without_uris(facts, texts)
    premises = read_premises(query or "")
    return [
        _differences_of(
            claim, [ClaimInFacts(form, words) for form in claim.forms], compared, premises
        )
        for claim in read
    ]


def _check_by_words(
    claims: Sequence[ClaimForms],
    facts: Sequence[FactAndAttributes],
    query: str | None,
    citation_log_odds: float,
) -> list[ClaimResult]:
    texts = render_facts(facts)
    compared = render_without_uris(facts, texts)
    read = list(chain.from_iterable([claim.forms for claim in claims]))
    is_only = sum(bool(claim.forms) for claim in claims) == 1
    words = read_facts(read, texts)
    if query:
        words = words._replace(missing=words.missing.difference(read_words(query).numbers()))
    respelled = [with_spelling_of_facts(claim, words.missing, compared) for claim in read]
    changed = read_facts(list(filter(None, respelled)), texts) if any(respelled) else words
    others = iter(respelled)
    premises = read_premises(query or "")
    whole = [(claim.text, claim.forms[0] if claim.forms else None) for claim in claims]
    unseen = unseen_values_of(whole, texts, query or "", premises)
    results = []
    for claim, of_no_source in zip(claims, unseen, strict=True):
        forms = claim.forms
        if not forms:
            results.append(ClaimResult())
            continue
        own = [ClaimInFacts(form, words) for form in forms]
        other = [ClaimInFacts(form, changed) for form in islice(others, len(forms)) if form]
        stated = own[:-1] if claim.answer and own[1:] else own
        chosen = max(stated + other, key=ClaimInFacts.log_odds) if other or own[1:] else own[0]
        log_odds = chosen.log_odds()
        if claim.answer:
            log_odds = _with_question(log_odds, claim.answer, own[-1], compared)
        found = _differences_of(claim, own, compared, premises)
        if found or of_no_source:
            results.append(ClaimResult(min(log_odds, WRONG), (), found, is_wrong=True))
        elif not is_only and _is_beside_the_facts(claim, chosen):
            results.append(ClaimResult())
        else:
            is_cited = log_odds >= citation_log_odds
            cited = chosen.supporting(citation_log_odds) if is_cited else []
            results.append(ClaimResult(log_odds, cited, found, _gain(chosen)))
        if of_no_source is None or any(len(form.forms) > MAX_CLAIM_TOKENS for form in forms):
            results[-1] = results[-1]._replace(is_partly_compared=True)
    return results


def _with_question(
    log_odds: float, answer: ShortAnswer, asked: ClaimInFacts, facts: Sequence[str]
) -> float:
    """Raise or lower the log odds of a short answer by what the facts say about its question.

    A fragment has to be said of what was asked, if the facts have the words of the question.
    """
    question, agrees = answer.question, None
    if answer.is_denied is not None:
        agrees = agree(question, facts, is_denied=answer.is_denied)
    if answer.is_fragment and agrees is not False:
        if not answer.names_question and asked.coverage() >= _MOST_OF_A_QUESTION:
            log_odds = min(log_odds, asked.log_odds())
        agrees = has_value(answer.text, question, facts)
    if agrees is None:
        return log_odds
    return max(log_odds, _SAID) if agrees else min(log_odds, _DENIED)


def _is_beside_the_facts(claim: ClaimForms, chosen: ClaimInFacts) -> bool:
    """Return whether the facts hardly have the words of a question that was answered in a word.

    Then its neighbours say more about such an answer, "Yes, of course!", than its own score.
    """
    is_word = claim.answer is not None and len(claim.forms) == 1
    return is_word and chosen.coverage() < _MIN_SHARE


def _differences_of(
    claim: ClaimForms,
    forms: Sequence[ClaimInFacts],
    facts: Sequence[str],
    premises: Sequence[Value],
) -> list[Difference]:
    """Find differences in the first form that has any; a cell denies its heading, not its row.

    A fragment differs only where it is said of what was asked.
    """
    answer = claim.answer
    for form in forms[-1:] if answer and answer.is_fragment else forms:
        found = find_differences(form.claim, facts, form.comparable_facts(_MIN_SHARE), premises)
        if claim.is_row and form is not forms[-1]:
            found = [each for each in found if each.kind != ContradictionKind.NEGATION]
        if found:
            return [_quoted(each, claim) for each in found] if answer else found
    return []


def _quoted(difference: Difference, claim: ClaimForms) -> Difference:
    """Let a difference quote the answer, and not the statement that was made of it."""
    value = difference.claim_value
    return difference if value in claim.text else difference._replace(claim_value=claim.text)


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


def _check_by_model(
    request: CheckRequest, claims: Sequence[Sentence | None], scorer: ScoreClaims, threshold: float
) -> list[ClaimResult] | None:
    """Return the results of the claims, empty ones of those that the model is not asked about."""
    asked = [claim for claim in claims if claim]
    if not asked:
        return [ClaimResult() for _ in claims]
    texts = render_facts(_described(request))
    answer = ScoredAnswer(
        text=request.answer_candidate, claims=asked, question=request.query or None
    )
    found = scorer(answer, texts, threshold)
    if found is None:
        return None
    scores = iter(found)
    return [next(scores) if claim else ClaimResult() for claim in claims]


def _for_model(claim: ClaimForms, sentence: Sentence) -> Sentence:
    text = sentence.named or sentence.text
    if claim.answer:
        text = f"{claim.answer.question.text} {sentence.text}"
    return replace(sentence, text=text)


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
