"""Citations and scores of the generator, compared with the check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Citation, GroundingSupport
from groundwatch.schemas.checked_answer import Claim
from groundwatch.transforms.rules.tagging import (
    CitationComparison,
    add_generator_scores,
    compare_citations,
)
from tests.support.builders import a_claim


def claims(*supporting: tuple[int, ...], **fields: object) -> list[Claim]:
    """Claims of eleven bytes, twenty apart, each supported by facts."""
    return [
        a_claim(start=20 * place, score=0.9, citations=facts, **fields)
        for place, facts in enumerate(supporting)
    ]


def cites(start: int, end: int, *facts: int) -> Citation:
    return Citation(start=start, end=end, facts=facts)


CITED = {
    "nothing cited": ((), claims((0,)), CitationComparison()),
    "the right one": (
        (cites(0, 11, 0),),
        claims((0,)),
        CitationComparison(precision=1.0, recall=1.0),
    ),
    "the wrong one": (
        (cites(0, 11, 1),),
        claims((0,)),
        CitationComparison(precision=0.0, recall=0.0, mismatch=True),
    ),
    "one of two supporting": (
        (cites(0, 11, 0),),
        claims((0, 2)),
        CitationComparison(precision=1.0, recall=0.5),
    ),
    "one too many": (
        (cites(0, 5, 0), cites(5, 11, 1)),
        claims((0,)),
        CitationComparison(precision=0.5, recall=1.0),
    ),
    "over two claims": (
        (cites(0, 31, 0),),
        claims((0,), (1,)),
        CitationComparison(precision=0.5, recall=0.5, mismatch=True),
    ),
    "overlapping by a byte": (
        (cites(10, 20, 1),),
        claims((0,)),
        CitationComparison(precision=0.0, recall=0.0, mismatch=True),
    ),
    "between the claims": ((cites(11, 20, 0),), claims((0,), (1,)), CitationComparison(recall=0.0)),
    "nothing supported": ((cites(0, 11, 0),), claims(()), CitationComparison(precision=0.0)),
    "a source without text": ((cites(0, 11),), claims((0,)), CitationComparison(recall=0.0)),
    "no claim at all": ((cites(0, 11, 0),), [], CitationComparison()),
    "no check required": (
        (cites(0, 11, 0),),
        claims((), grounding_check_required=False),
        CitationComparison(),
    ),
}


@pytest.mark.parametrize(("citations", "checked", "expected"), CITED.values(), ids=CITED)
def test_citations_are_held_to_what_supports_the_claims(
    citations: tuple[Citation, ...], checked: list[Claim], expected: CitationComparison
) -> None:
    assert compare_citations(citations, checked) == expected


def supports(start: int, end: int, score: float | None) -> GroundingSupport:
    return GroundingSupport(start=start, end=end, score=score)


def test_a_claim_gets_the_score_of_the_support_that_covers_most_of_it() -> None:
    first, second, third = add_generator_scores(
        claims((), (), ()),
        [supports(0, 8, 0.2), supports(7, 40, 0.9), supports(0, 99, None), supports(25, 40, 0.4)],
    )
    assert (first.generator_score, second.generator_score, third.generator_score) == (
        0.2,
        0.9,
        None,
    )


def test_a_support_of_a_single_byte_of_a_claim_counts_and_one_beside_it_does_not() -> None:
    (claim,) = add_generator_scores(claims(()), [supports(10, 20, 0.7)])
    assert claim.generator_score == 0.7
    (claim,) = add_generator_scores(claims(()), [supports(11, 20, 0.7)])
    assert claim.generator_score is None


_SPANS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.sets(st.integers(0, 3))), max_size=8
)


@given(st.lists(st.integers(0, 30), unique=True, max_size=8), _SPANS, _SPANS)
def test_every_pair_of_a_claim_and_a_span_counts(
    ends: list[int],
    by_check: list[tuple[int, int, set[int]]],
    by_answer: list[tuple[int, int, set[int]]],
) -> None:
    ends.sort()
    checked = [
        Claim(text="", start=start, end=end, score=0.9, citations=tuple(sorted(facts)))
        for start, end, (_, _, facts) in zip(ends, ends[1:], by_check, strict=False)
    ]
    given_spans = sorted(by_answer, key=lambda span: span[0])
    citations = [cites(start, end, *facts) for start, end, facts in given_spans]
    cited = [
        {fact for each in citations if _shared(claim, each) > 0 for fact in each.facts}
        for claim in checked
    ]
    supporting = [set(claim.citations) for claim in checked]
    pairs = list(zip(cited, supporting, strict=True))
    both = sum(len(a & b) for a, b in pairs)
    found = compare_citations(citations, checked)
    assert found.mismatch == any(a and b and a.isdisjoint(b) for a, b in pairs)
    assert found.precision == (both / n if (n := sum(map(len, cited))) else None)
    if citations:
        assert found.recall == (both / n if (n := sum(map(len, supporting))) else None)
    scored = [supports(each.start, each.end, number / 9) for number, each in enumerate(citations)]
    for claim in add_generator_scores(checked, scored):
        nearest = max(scored, key=lambda each: _shared(claim, each), default=None)
        is_covered = nearest is not None and _shared(claim, nearest) > 0
        assert claim.generator_score == (nearest.score if nearest and is_covered else None)


def _shared(claim: Claim, span: Citation) -> int:
    return min(claim.end, span.end) - max(claim.start, span.start)


@pytest.mark.timeout(10)  # seconds; all pairs took half a minute
@pytest.mark.parametrize("length", [11, 10**9], ids=["of a claim", "over all claims"])
def test_the_time_for_many_claims_and_spans_is_linear(length: int) -> None:
    checked = claims(*[(0,)] * 10_000)
    starts = [claim.start if length == 11 else 0 for claim in checked]
    found = compare_citations([cites(start, start + length, 0) for start in starts], checked)
    assert found == CitationComparison(precision=1.0, recall=1.0)
    scored = [supports(start, start + length, 0.7) for start in starts]
    assert {each.generator_score for each in add_generator_scores(checked, scored)} == {0.7}
