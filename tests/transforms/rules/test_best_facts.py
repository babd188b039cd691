"""Facts for a second check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.planning import FactPiece, best_facts


def a_piece(text: str) -> FactPiece:
    return FactPiece(text=text, fact=0, start=0)


RANKED = {
    "the nearest": (["lamps glow red"], ["chairs stand", "lamps glow", "red"], 1, ["lamps glow"]),
    "in their old order": (["a b c"], ["a", "x", "a b c"], 2, ["a", "a b c"]),
    "of equals the earlier": (["a"], ["x", "a 1", "a 2"], 1, ["a 1"]),
    "near to any claim": (["a b", "c d"], ["a", "c d", "x"], 1, ["c d"]),
    "in any case of letters": (["LAMPS"], ["chairs", "lamps"], 1, ["lamps"]),
    "in any case of any letter": (["STRASSE"], ["Haus", "Straße"], 1, ["Straße"]),
    "by the claim's share, not the fact's length": (
        ["a b"],
        ["a b and much else", "a"],
        1,
        ["a b and much else"],
    ),
    "by the claim's share, not the claim's length": (
        ["lamps glow red", "chairs"],
        ["lamps glow", "chairs"],
        1,
        ["chairs"],
    ),
    "without spaces between words": (
        ["猫は魚を食べる。"],
        ["電車は速い。", "黒い猫は魚が好き。"],
        1,
        ["黒い猫は魚が好き。"],
    ),
    "what the best fact lacks": (
        ["the lamp glows and the chair folds"],
        ["the lamp glows and stands", "the lamp glows and shines", "the chair folds"],
        2,
        ["the lamp glows and stands", "the chair folds"],
    ),
    "one fact for each claim before a second one for any": (
        ["lamp chair", "table"],
        ["chair", "lamp", "table"],
        2,
        ["chair", "table"],
    ),
    "no second fact that adds nothing": (["a b", "c"], ["a b 1", "c", "a b 2"], 2, ["a b 1", "c"]),
    "a claim without words": (["!"], ["a", "b"], 1, ["a"]),
    "as many as there are": (["a"], ["x", "y"], 5, ["x", "y"]),
}


@pytest.mark.parametrize(("claims", "facts", "most", "best"), RANKED.values(), ids=RANKED)
def test_the_facts_that_share_most_words_with_a_claim_are_chosen(
    claims: list[str], facts: list[str], most: int, best: list[str]
) -> None:
    chosen = best_facts(claims, [a_piece(fact) for fact in facts], most)
    assert [fact.text for fact in chosen] == best


@pytest.mark.parametrize("first", range(36))
def test_a_claim_that_joins_two_facts_of_many_alike_gets_both(first: int) -> None:
    """Facts share most words, as the paragraphs of one page do; rare words discriminate."""
    facts = [a_piece(f"The warranty of lamp{number} is {number} months.") for number in range(400)]
    second = 399 - first
    claim = (
        f"The warranty of lamp{first} is {first} months, and the warranty of lamp{second} is"
        f" {second} months."
    )
    chosen = best_facts([claim], facts, 20)
    assert {facts[first].text, facts[second].text} <= {fact.text for fact in chosen}


@given(st.lists(st.text(), min_size=1), st.lists(st.text()), st.integers(1, 5))
def test_no_more_than_asked_for_and_always_some(
    claims: list[str], texts: list[str], most: int
) -> None:
    facts = [a_piece(text) for text in texts]
    chosen = best_facts(claims, facts, most)
    assert len(chosen) == min(most, len(facts))
    positions = iter(facts)
    assert all(fact in positions for fact in chosen)
