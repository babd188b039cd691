"""Make the enriched record of an answer from its check: verdict, scores and tags."""

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Answer, Citation, GroundingSupport
from groundwatch.schemas.checked_answer import CheckedAnswer, Claim, Decision, VerdictThresholds
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import ContradictionKind, Tag, Verdict
from . import routing
from .explaining import explain_low_claims, name_unseen_values
from .thresholds import Thresholds

_Span = TypeVar("_Span", bound=Citation)


class CitationComparison(Record, frozen=True, kw_only=True):
    """How citations compare with the check; a mismatch is a claim that only other facts support."""

    precision: float | None = None
    recall: float | None = None
    mismatch: bool = False


_COPIED_FIELDS = {*Answer.__struct_fields__} & {*EnrichedAnswer.__struct_fields__}
_COPIED_FIELDS -= {"skip_reasons", "tags"}


def tag_answer(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
    """Make the enriched record of an answer, with its verdict and tags."""
    answer, grounding = checked.answer, checked.grounding
    thresholds = thresholds.of_engine(answer.engine)
    claims = tuple(add_generator_scores(grounding.claims if grounding else (), answer.supports))
    support_score = grounding.support_score if grounding else None
    min_claim_score = min(grounding.required_scores, default=None) if grounding else None
    generator_score, drift = answer.generator_grounding_score, None
    if generator_score is not None and support_score is not None:
        drift = generator_score - support_score
    decided = grounding.contradictions if grounding else None
    decision = checked.decision or score_verdict(
        support_score, min_claim_score, thresholds, contradicts=bool(decided)
    )
    used = VerdictThresholds(low_grounded=thresholds.low_grounded, claim=thresholds.claim)
    cited = compare_citations(answer.citations, claims)
    contradictions = (
        explain_low_claims(claims, answer.facts, thresholds, answer.query)
        if decided is None
        else decided
    )
    unseen = tuple(name_unseen_values(claims, answer.facts, contradictions, answer.query))
    found = {
        Tag.RECOMBINED: grounding is not None and grounding.recombined,
        Tag.UNSUPPORTED_CLAIM: min_claim_score is not None and min_claim_score < thresholds.claim,
        Tag.SCORE_DRIFT: drift is not None and abs(drift) > thresholds.drift,
        Tag.CITATION_MISMATCH: cited.mismatch,
        Tag.UNSEEN_VALUE: bool(unseen),
        Tag.PARTLY_COMPARED: grounding is not None and grounding.partly_compared,
        Tag.UNREAD_LANGUAGE: grounding is not None and grounding.unread_language,
    }
    tags = {
        *answer.tags,
        *routing.routing_tags(answer),
        *(tag for tag, is_found in found.items() if is_found),
        *(ContradictionKind(contradiction.kind).tag for contradiction in contradictions),
        *filter(None, [checked.escalation]),
    }
    return EnrichedAnswer(
        **{name: getattr(answer, name) for name in _COPIED_FIELDS},
        verdict=decision.verdict,
        verdict_reason=decision.reason,
        tags=tuple(sorted(tags)),
        support_score=support_score,
        min_claim_score=min_claim_score,
        score_drift=drift,
        skip_reasons=(*answer.skip_reasons, *routing.policy_reasons(answer)),
        claims=claims,
        check=checked.check and replace(checked.check, thresholds=used),
        citation_precision=cited.precision,
        citation_recall=cited.recall,
        mismatches=(*contradictions, *unseen),
        generator_citations=answer.citations,
        generator_supports=answer.supports,
        screen=checked.screen,
    )


def score_verdict(
    support_score: float | None,
    min_claim_score: float | None,
    thresholds: Thresholds,
    *,
    contradicts: bool = False,
) -> Decision:
    """Decide the verdict of a checked answer by its scores; without any, it is UNSCORABLE.

    An answer that contradicts a fact, by the checker's word, is LOW_GROUNDED.
    """
    if contradicts:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=routing.CONTRADICTION)
    if min_claim_score is not None and min_claim_score < thresholds.claim:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=routing.CLAIM_SCORE)
    if support_score is not None and support_score < thresholds.low_grounded:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=routing.SUPPORT_SCORE)
    if support_score is None and min_claim_score is None:
        return Decision(verdict=Verdict.UNSCORABLE, reason=routing.NO_CLAIMS)
    return Decision(verdict=Verdict.GROUNDED, reason=routing.ABOVE_THRESHOLDS)


def verdict_by(answer: EnrichedAnswer | AnswerRow, thresholds: Thresholds) -> str:
    """Decide the verdict of a record by other thresholds; one of the message's reasons stays."""
    if answer.verdict_reason not in routing.BY_CHECK:
        return answer.verdict
    support, claim = answer.support_score, answer.min_claim_score
    contradicts = answer.verdict_reason == routing.CONTRADICTION
    return score_verdict(support, claim, thresholds, contradicts=contradicts).verdict


def compare_citations(citations: Sequence[Citation], claims: Sequence[Claim]) -> CitationComparison:
    """Compare an answer's citations with the facts that support its claims in the check."""
    if not citations:
        return CitationComparison()
    cited = supporting = both = 0
    mismatch = False
    around: Counter[int] = Counter()  # how many citations around a claim's start have each fact
    for claim, begun, ended, inside in _sweep(claims, citations):
        around.update(fact for citation in begun for fact in citation.facts)
        for fact in (fact for citation in ended for fact in citation.facts):
            around[fact] -= 1
            if not around[fact]:
                del around[fact]
        others = {fact for citation in inside for fact in citation.facts if fact not in around}
        by_check = set(claim.citations)
        shared = sum(fact in around or fact in others for fact in by_check)
        mismatch = mismatch or bool((around or others) and by_check and not shared)
        if claim.required_score is not None:
            cited += len(around) + len(others)
            supporting += len(by_check)
            both += shared
    return CitationComparison(
        precision=both / cited if cited else None,
        recall=both / supporting if supporting else None,
        mismatch=mismatch,
    )


def add_generator_scores(
    claims: Sequence[Claim], supports: Sequence[GroundingSupport]
) -> Iterator[Claim]:
    """Add to each claim the score of the generator's support that overlaps it most.

    Of several that cover it whole, it is the one that begins first.
    """
    scored = [each for each in supports if each.score is not None]
    if not scored:
        yield from claims
        return
    covering: deque[GroundingSupport] = deque()
    farthest: GroundingSupport | None = None
    for claim, begun, _, inside in _sweep(claims, scored):
        covering += begun
        farthest = max(filter(None, (farthest, *begun)), key=lambda each: each.end, default=None)
        while covering and covering[0].end < claim.end:
            covering.popleft()
        nearest = max(
            filter(None, (*islice(covering, 1), farthest, *inside)),
            key=lambda each: min(claim.end, each.end) - max(claim.start, each.start),
            default=None,
        )
        if nearest and nearest.end > claim.start:
            yield replace(claim, generator_score=nearest.score)
        else:
            yield claim


def _sweep(
    claims: Sequence[Claim], spans: Iterable[_Span]
) -> Iterator[tuple[Claim, Sequence[_Span], Sequence[_Span], Sequence[_Span]]]:
    """Yield each claim, in the order of the answer, with the spans that are new at its start.

    They are those that begin since the last claim's start, those that end since then, and those
    that begin within the claim. So a span that covers all claims is not read again for each.
    """
    by_start = sorted(
        (each for each in spans if each.start < each.end), key=lambda each: each.start
    )
    by_end = sorted(by_start, key=lambda each: each.end)
    starts, ends = [each.start for each in by_start], [each.end for each in by_end]
    begun = ended = 0
    for claim in claims:
        now, over = bisect_right(starts, claim.start), bisect_right(ends, claim.start)
        inside = by_start[now : bisect_left(starts, claim.end, now)]
        yield claim, by_start[begun:now], by_end[ended:over], inside
        begun, ended = now, over
