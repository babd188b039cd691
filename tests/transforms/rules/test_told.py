"""What a check is told of a fact."""

from tests.support.builders import a_fact
from transforms.rules.told import attributes_of, stated_by, text_of


def test_titles_addresses_and_attributes_are_told_and_an_address_states_nothing() -> None:
    address = "https://example.com/7"
    fact = a_fact("Lamps glow.", title="Catalogue 2019", uri=address, attributes={"page": "17"})
    attributes = attributes_of(fact)
    assert attributes == {"title": "Catalogue 2019", "uri": address, "page": "17"}
    assert text_of(fact.text, attributes) == f"Lamps glow.\nCatalogue 2019\n{address}\n17"
    assert stated_by(fact.text, attributes) == "Lamps glow.\nCatalogue 2019\n17"


def test_a_producer_s_own_title_stands_for_the_fact_s() -> None:
    fact = a_fact("Lamps glow.", title="A", attributes={"title": "B"})
    assert attributes_of(fact) == {"title": "B"}
