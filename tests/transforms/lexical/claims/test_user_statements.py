"""A sentence that only repeats what the user said is no claim; one that adds something is."""

import pytest
from msgspec.structs import replace

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.claims.read_claim import read_claim
from groundwatch.transforms.lexical.claims.user_statements import repeats_user
from tests.support.checks import check_request

ENGLISH = "I bought my lamp in May and it does not glow. Can I return it?"


@pytest.mark.parametrize(
    ("query", "sentence", "is_repeated"),
    [
        (ENGLISH, "You said you bought it in May.", True),
        (ENGLISH, "As you mentioned, you bought the lamp in May.", True),
        (ENGLISH, "You mentioned that your lamp does not glow.", True),
        (ENGLISH, "You asked whether you can return it.", True),
        (ENGLISH, "You mentioned that your lamp glows.", False),
        (ENGLISH, "You said you bought it in June.", False),
        (ENGLISH, "You said you bought it in May, so the warranty has ended.", False),
        (ENGLISH, "Since you bought it in May, you can return it.", False),
        (ENGLISH, "You said that you can return it.", False),
        (ENGLISH, "You bought the lamp in May.", False),
        ("Can I pay in 12 months?", "You asked whether you can pay in 12 months.", True),
        ("Can I pay in 12 months?", "You asked whether you can pay in 24 months.", False),
        (
            "Ich habe die Lampe im Mai gekauft.",
            "Sie haben geschrieben, dass Sie die Lampe im Mai gekauft haben.",
            True,
        ),
        ("Ich habe die Lampe im Mai gekauft.", "Sie haben die Lampe im Mai gekauft.", False),
        (
            "J\u2019ai achet\u00e9 la lampe en mai.",
            "Vous avez dit que vous avez achet\u00e9 la lampe en mai.",
            True,
        ),
        (
            "Compr\u00e9 la l\u00e1mpara en mayo.",
            "Usted mencion\u00f3 que compr\u00f3 la l\u00e1mpara en mayo.",
            True,
        ),
        ("Ho comprato la lampada a maggio.", "Ha detto che ha comprato la lampada a maggio.", True),
        (
            "Comprei a l\u00e2mpada em maio.",
            "Voc\u00ea disse que comprou a l\u00e2mpada em maio.",
            True,
        ),
    ],
)
def test_what_only_repeats_the_user_is_recognized(
    query: str, sentence: str, is_repeated: bool
) -> None:
    claim = read_claim(sentence)
    assert claim is not None
    assert repeats_user(claim, query) is is_repeated


def test_a_repetition_is_no_claim_of_an_answer() -> None:
    answer = "You said you bought it in May. Lamps glow in the dark."
    request = replace(check_request(answer, "Lamps glow in the dark."), query=ENGLISH)
    assert [each.grounding_check_required for each in check_grounding(request).claims] == [
        False,
        True,
    ]
