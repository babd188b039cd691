"""Facts as the texts that a check reads."""

import pytest

from groundwatch.transforms.lexical.facts.fact_text import (
    fact_attributes,
    max_sentences,
    needs_index,
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


SIZES = {
    "a usual answer": (600, ["Lamps glow red at night. " * 20] * 3, False),
    "a page": (2_000, ["Lamps glow red at night. " * 200] * 4, False),
    "short and long": (100, ["x" * 150_000], False),
    "short and longer": (100, ["x" * 150_001], True),
    "many lines of both": (6_000, ["a\n" * 1_000], True),
    "many sentences in another script": (6_000, ["\u5b57\u3002" * 1_000], True),
    "nothing": (0, [], False),
}


@pytest.mark.parametrize(("answer_chars", "facts", "large"), SIZES.values(), ids=SIZES)
def test_an_index_is_needed_where_both_are_long_or_the_facts_are(
    answer_chars: int, facts: list[str], large: bool
) -> None:
    assert needs_index(answer_chars, facts) is large


def test_no_text_has_more_sentences_than_its_marks_suggest() -> None:
    assert max_sentences("Lamps glow. Do they?\nYes") == 4
    assert max_sentences("\u5b57\u3002\u5b57") == 2
    assert max_sentences("") == 1
