"""Explain the scores of claims: what they contradict, and which of their values no fact has."""

from collections.abc import Iterator, Sequence

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import Claim, Contradiction
from groundwatch.transforms.lexical.check_claims import find_contradictions
from groundwatch.transforms.lexical.contradictions.unseen_values import find_unseen_values
from groundwatch.transforms.lexical.facts.fact_text import describe_facts
from .thresholds import Thresholds


def explain_low_claims(
    claims: Sequence[Claim], facts: Sequence[Fact], thresholds: Thresholds, query: str | None = None
) -> tuple[Contradiction, ...]:
    """Find what claims below their threshold contradict, if the checker does not say so itself.

    That explains their scores. It changes neither a score nor a verdict.
    """
    low = [
        number
        for number, claim in enumerate(claims)
        if claim.required_score is not None and claim.required_score < thresholds.claim
    ]
    if not low:
        return ()
    is_first = all(each.required_score is None for each in claims[: low[0]])
    texts = [claims[number].text for number in low]
    found = find_contradictions(texts, describe_facts(facts), query, is_first=is_first)
    return tuple(
        [
            Contradiction(claim=number, **difference._asdict())
            for number, of_claim in zip(low, found, strict=True)
            for difference in of_claim
        ]
    )


def name_unseen_values(
    claims: Sequence[Claim],
    facts: Sequence[Fact],
    contradictions: Sequence[Contradiction],
    query: str | None = None,
) -> Iterator[Contradiction]:
    """Yield the values that no source has, of claims that no fact supports or contradicts.

    These are invented, or computed. They change no score of a checker.
    """
    explained = {each.claim for each in contradictions}
    bare = [
        number
        for number, claim in enumerate(claims)
        if claim.required_score is not None and not claim.citations and number not in explained
    ]
    if not bare:
        return
    texts = [claims[number].text for number in bare]
    unseen = find_unseen_values(texts, describe_facts(facts), query)
    for number, values in zip(bare, unseen, strict=True):
        for kind, text in values:
            yield Contradiction(claim=number, kind=kind, claim_value=text)
