"""Make the enriched record of an answer from its check: verdict, scores and tags."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from schemas import Record
from schemas.answer import Answer, Citation, Fact, GroundingSupport
from schemas.checked_answer import CheckedAnswer, Claim, Contradiction, Decision
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import ContradictionKind, Tag, Verdict
from transforms.lexical.check import find_contradictions
from transforms.lexical.fact_text import fact_attributes
from transforms.rules import routing

GivenThresholds = Mapping[str, Sequence[tuple[str | None, float]]]
"""Values of thresholds, by the threshold's name: each for an engine, or for all (None)."""


class Thresholds(Record, frozen=True, kw_only=True):
    """The thresholds of verdicts and tags, 0..1; a score equal to its threshold is not low.

    `engines` are the thresholds of engines that have their own.
    """

    low_grounded: float = 0.6
    claim: float = 0.4
    drift: float = 0.3
    engines: dict[str, "Thresholds"] = {}

    def of_engine(self, engine: str | None) -> "Thresholds":
        """Return the thresholds of an answer's engine."""
        return self.engines.get(engine, self) if engine and self.engines else self

    def replaced(self, given: GivenThresholds) -> "Thresholds":
        """Replace values; an engine without a value of its own has that of all."""
        by_engine: dict[str | None, dict[str, float]] = {}
        for name, values in given.items():
            for engine, value in values:
                by_engine.setdefault(engine, {})[name] = value
        base = replace(self, **by_engine.pop(None, {}), engines={})
        own = {
            engine: replace(self.engines.get(engine, base), **by_engine.get(engine, {}))
            for engine in sorted(filter(None, {*self.engines, *by_engine}))
        }
        return replace(base, engines=own)


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
    cited = compare_citations(answer.citations, claims)
    contradictions = (
        explain_low_claims(claims, answer.facts, thresholds) if decided is None else decided
    )
    found = {
        Tag.RECOMBINED: grounding is not None and grounding.recombined,
        Tag.UNSUPPORTED_CLAIM: min_claim_score is not None and min_claim_score < thresholds.claim,
        Tag.SCORE_DRIFT: drift is not None and abs(drift) > thresholds.drift,
        Tag.CITATION_MISMATCH: cited.mismatch,
    }
    tags = {
        *answer.tags,
        *routing.routing_tags(answer),
        *(tag for tag, is_found in found.items() if is_found),
        *(ContradictionKind(contradiction.kind).tag for contradiction in contradictions),
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
        check=checked.check,
        citation_precision=cited.precision,
        citation_recall=cited.recall,
        mismatches=contradictions,
        generator_citations=answer.citations,
        generator_supports=answer.supports,
    )


def explain_low_claims(
    claims: Sequence[Claim], facts: Sequence[Fact], thresholds: Thresholds
) -> tuple[Contradiction, ...]:
    """Find what claims below their threshold contradict, if the checker does not say so itself.

    That explains their scores. It changes neither a score nor a verdict.
    """
    low = [
        number
        for number, claim in enumerate(claims)
        if claim.required_score is not None and claim.required_score < thresholds.claim
    ]
    described = [(fact.text, fact_attributes(fact)) for fact in facts] if low else []
    found = find_contradictions([claims[number].text for number in low], described)
    return tuple(
        [
            Contradiction(claim=number, **difference._asdict())
            for number, of_claim in zip(low, found, strict=True)
            for difference in of_claim
        ]
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


def compare_citations(citations: Sequence[Citation], claims: Sequence[Claim]) -> CitationComparison:
    """Compare an answer's citations with the facts that support its claims in the check."""
    if not citations:
        return CitationComparison()
    cited = supporting = both = 0
    mismatch = False
    for claim in claims:
        overlapping = (citation for citation in citations if _overlap(claim, citation) > 0)
        by_answer = {fact for citation in overlapping for fact in citation.facts}
        by_check = set(claim.citations)
        mismatch = mismatch or bool(by_answer and by_check and by_answer.isdisjoint(by_check))
        if claim.required_score is not None:
            cited += len(by_answer)
            supporting += len(by_check)
            both += len(by_answer & by_check)
    return CitationComparison(
        precision=both / cited if cited else None,
        recall=both / supporting if supporting else None,
        mismatch=mismatch,
    )


def add_generator_scores(
    claims: Sequence[Claim], supports: Sequence[GroundingSupport]
) -> Iterator[Claim]:
    """Add to each claim the score of the generator's support that overlaps it most."""
    scored = [support for support in supports if support.score is not None]
    for claim in claims:
        nearest = max(scored, key=lambda support: _overlap(claim, support), default=None)
        if nearest and _overlap(claim, nearest) > 0:
            yield replace(claim, generator_score=nearest.score)
        else:
            yield claim


def _overlap(claim: Claim, span: Citation | GroundingSupport) -> int:
    """Return the number of bytes that a claim and a span share; 0 or less for none."""
    return min(claim.end, span.end) - max(claim.start, span.start)
