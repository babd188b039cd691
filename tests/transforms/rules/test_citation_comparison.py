"""Citations and scores of the generator, compared with the check."""

import pytest

from schemas.answer import Citation, GroundingSupport
from schemas.checked_answer import Claim
from tests.support.builders import a_claim
from transforms.rules.tagging import CitationComparison, add_generator_scores, compare_citations


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
        [supports(0, 4, 0.1), supports(3, 11, 0.7), supports(0, 99, None), supports(25, 40, 0.4)],
    )
    assert (first.generator_score, second.generator_score, third.generator_score) == (
        0.7,
        0.4,
        None,
    )


def test_a_support_of_a_single_byte_of_a_claim_counts_and_one_beside_it_does_not() -> None:
    (claim,) = add_generator_scores(claims(()), [supports(10, 20, 0.7)])
    assert claim.generator_score == 0.7
    (claim,) = add_generator_scores(claims(()), [supports(11, 20, 0.7)])
    assert claim.generator_score is None


def test_supports_without_scores_give_none() -> None:
    assert list(add_generator_scores(claims(()), [supports(0, 11, None)])) == claims(())
