"""What a check is told of a fact."""

from tests.support.builders import a_fact
from transforms.rules.told import attributes_of, statements_of, texts_of


def test_titles_addresses_and_attributes_are_told_and_an_address_states_nothing() -> None:
    address = "https://example.com/7"
    fact = a_fact("Lamps glow.", title="Catalogue 2019", uri=address, attributes={"page": "17"})
    attributes = attributes_of(fact)
    assert attributes == {"title": "Catalogue 2019", "uri": address, "page": "17"}
    texts = texts_of([(fact.text, attributes)])
    assert texts == (f"Lamps glow.\nCatalogue 2019\n{address}\n17",)
    assert statements_of([(fact.text, attributes)], texts) == ("Lamps glow.\nCatalogue 2019\n17",)


def test_a_producer_s_own_title_stands_for_the_fact_s() -> None:
    fact = a_fact("Lamps glow.", title="A", attributes={"title": "B"})
    assert attributes_of(fact) == {"title": "B"}


def test_the_tables_of_long_facts_are_told_as_they_are_written() -> None:
    table = "| Model | Power |\n|---|---|\n| Plug | 5 W |"
    (short,) = texts_of([(table, {})])
    (long, _) = texts_of([(table, {}), ("x" * 150_000, {})])
    assert short.endswith("Model: Plug; Power: 5 W")
    assert long == table
