from transforms.grounding.local.claims import ClaimWords, read_claim
from transforms.grounding.local.index import index_facts


def words(claim: str) -> ClaimWords:
    read = read_claim(claim)
    assert read is not None
    return read


def test_only_the_claims_words_and_pairs_are_kept() -> None:
    (fact,) = index_facts(["Blue lamps glow red and lamps glow."], [words("red lamps glow")]).each
    assert fact.places == {
        "lamps": [(1, "lamps"), (5, "lamps")],
        "glow": [(2, "glow"), (6, "glow")],
        "red": [(3, "red")],
    }
    assert fact.pairs == {("lamps", "glow")}


def test_the_first_sixty_four_places_are_kept_of_each_fact_and_of_all() -> None:
    facts = index_facts(["lamps " * 40, "lamps " * 100], [words("lamps")])
    assert [len(fact.places["lamps"]) for fact in facts.each] == [40, 64]
    assert facts.together.places["lamps"] == (
        facts.each[0].places["lamps"] + facts.each[1].places["lamps"][:24]
    )


def test_facts_lie_far_apart() -> None:
    together = index_facts(["red lamps", "lamps glow"], [words("red lamps glow")]).together
    assert together.places["lamps"] == [(1, "lamps"), (1002, "lamps")]
    assert together.pairs == {("red", "lamps"), ("lamps", "glow")}


def test_without_facts_there_is_nothing() -> None:
    facts = index_facts([], [words("red lamps")])
    assert (facts.together.places, facts.together.pairs, facts.each) == ({}, set(), [])
