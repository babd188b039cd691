from tests.support.builders import a_fact
from transforms.rules.told import attributes_of, text_of


def test_titles_addresses_and_attributes_are_told() -> None:
    fact = a_fact(
        "Lamps glow.",
        title="Catalogue 2019",
        uri="https://example.com/7",
        attributes={"page": "17"},
    )
    attributes = attributes_of(fact)
    assert attributes == {"title": "Catalogue 2019", "uri": "https://example.com/7", "page": "17"}
    assert (
        text_of(fact.text, attributes) == "Lamps glow.\nCatalogue 2019\nhttps://example.com/7\n17"
    )


def test_a_producer_s_own_title_stands_for_the_fact_s() -> None:
    assert attributes_of(a_fact("Lamps glow.", title="A", attributes={"title": "B"})) == {
        "title": "B"
    }
