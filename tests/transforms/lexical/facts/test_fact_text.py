"""Facts as the texts that a check reads."""

from groundwatch.transforms.lexical.facts.fact_text import (
    fact_attributes,
    render_facts,
    render_without_uris,
)
from tests.support.builders import a_fact


def test_titles_uris_and_attributes_are_rendered_and_a_uri_states_nothing() -> None:
    address = "https://example.com/7"
    fact = a_fact("Lamps glow.", title="Catalogue 2019", uri=address, attributes={"page": "17"})
    attributes = fact_attributes(fact)
    assert attributes == {"title": "Catalogue 2019", "uri": address, "page": "17"}
    texts = render_facts([(fact.text, attributes)])
    assert texts == (f"Lamps glow.\nCatalogue 2019\n{address}\n17",)
    assert render_without_uris([(fact.text, attributes)], texts) == (
        "Lamps glow.\nCatalogue 2019\n17",
    )


def test_a_producer_s_own_title_stands_for_the_fact_s() -> None:
    fact = a_fact("Lamps glow.", title="A", attributes={"title": "B"})
    assert fact_attributes(fact) == {"title": "B"}
