"""The facts that claims are compared with."""

import pytest

from transforms.rules.mismatches.sources import Sources, sources_of

FACT = "Lamps glow. The pump runs at 5 bar. It is false that pumps sing.\nPumps hum!"


@pytest.mark.parametrize(
    ("claim", "stated"),
    [
        ("The pump runs at 5 bar.", True),
        ("Lamps glow. The pump runs at 5 bar.", True),
        (" Pumps hum! ", True),
        ("Lamps glow.", True),
        ("The pump runs at 5", False),
        ("pumps sing.", False),
        ("The pump runs at 6 bar.", False),
        ("glow.", False),
        ("", False),
    ],
)
def test_a_claim_is_stated_where_it_stands_as_a_sentence(claim: str, *, stated: bool) -> None:
    assert Sources(("Something else.", FACT)).states(claim) is stated


def test_sources_are_remembered_unless_they_are_long() -> None:
    facts = ("Lamps glow.", "x" * 99_939)
    assert sources_of(facts) is sources_of(tuple(facts))
    longer = (*facts, "x")
    assert sources_of(longer) is not sources_of(longer)
