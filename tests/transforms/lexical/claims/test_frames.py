"""The clause in which somebody says what follows is no part of what is checked."""

import pytest

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.claims.frames import without_frame
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import CONTRACTED, EXCLUSIVE, NEGATING
from tests.support.checks import check_request

FRAMES = [
    "I can confirm that ",
    "I\u2019ve checked our records, and ",
    "We'd like to let you know that ",
    "Our FAQ states that ",
    "The guide says ",
    "As described in section 4 of the handbook, ",
    "To answer your question: ",
    "Good news \u2013 ",
    "As you may already know, ",
    "Ich kann Ihnen best\u00e4tigen, dass ",
    "Unsere Richtlinie besagt, dass ",
    "Je peux vous confirmer que ",
    "D\u2019apr\u00e8s notre guide, ",
    "Puedo confirmarle que ",
    "Posso confermarle che ",
    "Posso confirmar que ",
    "Ik kan bevestigen dat ",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_clause_that_says_who_says_it_is_removed(frame: str) -> None:
    assert without_frame(f"{frame}the lamp glows red.") == "the lamp glows red."


@pytest.mark.parametrize(
    "frame", [*FRAMES, "Having looked into it, I can tell you that ", "Yes, I see that sadly, "]
)
def test_behind_it_a_wrong_statement_is_contradicted_and_a_right_one_is_cited(frame: str) -> None:
    fact = "The lamp of the shop glows for 12 hours."
    wrong, right = (f"{frame}the lamp of the shop glows for {n} hours." for n in (15, 12))
    [claim] = check_grounding(check_request(wrong, fact)).claims
    assert [each.claim_value for each in claim.mismatches or ()] == ["15 hours"]
    [claim] = check_grounding(check_request(right, fact)).claims
    assert claim.citation_indices == (0,)


@pytest.mark.parametrize(
    "sentence",
    [
        "Our website, app and phone line are open.",
        "No records show that the lamp glows.",
        "I cannot confirm that the lamp glows.",
        "We don't know that the lamp glows.",
        "If you know, tell us.",
        "Our members know that the lamp glows.",
        "You must confirm that you are 18.",
        "In 2019, the news said that the lamp glows.",
        "I can confirm that.",
        "The guide says nothing about the lamp.",
        "",
    ],
)
def test_what_states_more_is_kept(sentence: str) -> None:
    assert without_frame(sentence) == sentence


def test_no_word_of_framing_negates_or_restricts() -> None:
    words = [phrases.words_of(kind) for kind in ("frame_first", "frame_words", "frame_says")]
    restricting = NEGATING | CONTRACTED | EXCLUSIVE
    assert restricting.isdisjoint(frozenset[str]().union(*words))
