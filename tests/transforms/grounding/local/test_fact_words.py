from hypothesis import given
from hypothesis import strategies as st

from transforms.grounding.local.fact_words import read_facts


def ends(windows: int) -> list[int]:
    return [position for position in range(windows.bit_length()) if windows >> position & 1]


def test_a_fact_knows_its_forms_and_what_stands_side_by_side() -> None:
    (fact,) = read_facts(("Blue lamps glow and lamps hum.",)).each
    assert fact.forms == {"blue", "lamps", "glow", "and", "hum"}
    assert [fact.forms] == [windows.keys() for windows in fact.windows]
    assert fact.pairs == {
        ("blue", "lamps"),
        ("lamps", "glow"),
        ("glow", "and"),
        ("and", "lamps"),
        ("lamps", "hum"),
    }


def test_a_window_holds_sixty_tokens() -> None:
    (fact,) = read_facts(("lamps glow",)).each
    (windows,) = fact.windows
    assert ends(windows["lamps"]) == list(range(60))
    assert ends(windows["glow"]) == list(range(1, 61))


@given(st.lists(st.sampled_from(["red", "lamps", "glow", "x"]), max_size=200))
def test_the_windows_of_a_form_are_those_that_hold_it(forms: list[str]) -> None:
    (fact,) = read_facts((" ".join(forms),)).each
    (windows,) = fact.windows
    for form, its_windows in windows.items():
        assert ends(its_windows) == [
            last for last in range(len(forms) + 59) if form in forms[max(0, last - 59) : last + 1]
        ]


def test_the_sets_of_a_long_fact_are_no_longer_than_those_of_a_piece() -> None:
    (fact,) = read_facts((" ".join(f"w{number} lamps" for number in range(5_000)),)).each
    assert max(max(map(int.bit_length, windows.values())) for windows in fact.windows) == 618
    assert frozenset().union(*fact.windows) == fact.forms


def test_forms_and_pairs_of_all_facts_are_put_together_and_no_pair_crosses_two() -> None:
    facts = read_facts(("red lamps", "lamps glow"))
    assert facts.forms == {"red", "lamps", "glow"}
    assert facts.pairs == {("red", "lamps"), ("lamps", "glow")}


def test_without_facts_there_is_nothing() -> None:
    facts = read_facts(())
    assert (facts.each, facts.forms, facts.pairs) == ([], frozenset(), frozenset())
