"""The evaluation of labelled answers."""

import pytest
from msgspec.structs import replace

from groundwatch.schemas.answer import LabelSpan
from tests.support.evaluations import a_labelled, measured


def test_an_answer_ranks_by_its_lowest_claim_and_by_its_support_score() -> None:
    found = measured(
        a_labelled(0.9, 0.8, support=0.2),
        a_labelled(0.9, 0.3, support=0.7, spans=(LabelSpan(10, 20),)),
    )
    by_claim, by_support = found.answers_by_claim, found.answers_by_support
    assert by_claim.auroc is not None
    assert by_support.auroc is not None
    assert (by_claim.auroc.value, by_support.auroc.value) == (1.0, 0.0)
    assert (by_claim.supported, by_claim.unsupported) == (1, 1)
    assert [flagged.flagged for flagged in by_claim.at] == [0, 0, 1, 1]
    assert [flagged.threshold for flagged in by_support.at] == [0.6, 0.8, 0.9]


def test_the_verdict_is_compared_with_the_labels() -> None:
    answers = (
        a_labelled(0.3),
        a_labelled(0.3, spans=(LabelSpan(0, 5),)),
        a_labelled(0.5, spans=(LabelSpan(0, 5),)),
    )
    found = measured(*answers).low_grounded
    assert (found.flagged, found.precision, found.recall, found.threshold) == (2, 0.5, 0.5, None)


@pytest.mark.parametrize(
    ("span", "unsupported"),
    [((0, 10), 1), ((8, 12), 2), ((9, 12), 1), ((9, 11), 0), ((0, 30), 3), ((40, 50), 0)],
    ids=str,
)
def test_a_claim_is_unsupported_where_a_span_shares_two_bytes_with_it(
    span: tuple[int, int], unsupported: int
) -> None:
    claims = measured(a_labelled(0.9, 0.8, 0.7, spans=(LabelSpan(*span),))).claims
    assert claims is not None
    assert (claims.unsupported, claims.supported) == (unsupported, 3 - unsupported)


def test_claims_without_labelled_spans_do_not_count() -> None:
    unseen = a_labelled(0.1, 0.2, spans=None, is_unsupported=True)
    assert measured(unseen).claims is None
    both = measured(unseen, a_labelled(0.9)).claims
    assert both is not None
    assert (both.supported, both.unsupported) == (1, 0)


def test_an_unsupported_answer_with_no_span_says_nothing_of_its_claims() -> None:
    claims = measured(a_labelled(0.3, 0.9, spans=(), is_unsupported=True)).claims
    assert claims is not None
    assert (claims.supported, claims.unsupported) == (0, 0)


def test_claims_that_nobody_labelled_do_not_count_beside_labelled_ones() -> None:
    answer = a_labelled(0.3, 0.9, 0.8, spans=(LabelSpan(0, 10),))
    label = replace(answer.label, supported=(LabelSpan(10, 20),))
    claims = measured(replace(answer, label=label)).claims
    assert claims is not None
    assert (claims.supported, claims.unsupported) == (1, 1)


def test_an_answer_without_a_score_is_never_flagged() -> None:
    found = measured(a_labelled(is_unsupported=True), a_labelled(0.5))
    assert [flagged.flagged for flagged in found.answers_by_claim.at] == [0, 0, 0, 1]
    assert found.answers_by_claim.auroc is not None
    assert found.answers_by_claim.auroc.value == 0.0
    assert found.checkers == {"none": 1, "local": 1}
