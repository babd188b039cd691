"""Read what a sentence claims, and what is no claim."""

import pytest

from groundwatch.transforms.lexical.claims.read_claim import read_claim


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Hi there, friend.", id="hi"),
        pytest.param("Hello!", id="hello"),
        pytest.param("Thank you for your patience.", id="thanks"),
        pytest.param("I hope this helps with the lamp.", id="hope"),
        pytest.param("Please let me know about further lamps.", id="offer"),
        pytest.param("I\u2019m sorry about the lamp.", id="apology"),
        pytest.param("As an AI, I own no lamp.", id="AI"),
        pytest.param("Here is what I found.", id="the service's example"),
        pytest.param("Here are three lamps:", id="announcement"),
        pytest.param("The lamps are:", id="colon"),
        pytest.param("**The lamps are:**", id="bold announcement"),
        pytest.param("*Hello!*", id="greeting in italics"),
        pytest.param("Good luck with the lamp!", id="exclamation"),
        pytest.param("Gute Besserung!", id="exclamation in German"),
        pytest.param("Is the lamp red?", id="question"),
        pytest.param("ランプは赤いですか\uff1f", id="japanese question"),
        pytest.param("The passages do not mention a lamp.", id="not mentioned"),
        pytest.param("The price is not provided in the given context.", id="not provided"),
        pytest.param(
            "Based on the given passages, it cannot be determined.", id="cannot be determined"
        ),
        pytest.param("There is no information about lamps in the text.", id="no information"),
        pytest.param("I am unable to answer from the given data.", id="unable"),
        pytest.param("It is what it is.", id="no content"),
        pytest.param("(Passage 2)", id="reference alone"),
    ],
)
def test_no_check_is_required(sentence: str) -> None:
    assert read_claim(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("High humidity damages wood.", id="begins like hi"),
        pytest.param("Surely the lamp is red.", id="begins like sure"),
        pytest.param("Hi-fi sets cost more.", id="begins with hi and a hyphen"),
        pytest.param("The lamp does not include a bulb.", id="negation without a source"),
        pytest.param("The passage says the lamp is red.", id="source without a refusal"),
        pytest.param("The lamp is red: it glows.", id="colon inside"),
        pytest.param("2024.", id="number"),
        pytest.param("Sure, the lamp is red.", id="behind an assurance"),
        pytest.param("Hello, the shop opens at 9.", id="behind a greeting"),
        pytest.param("They are great.", id="courtesy about others"),
        pytest.param("The rate is 6%.", id="courtesy with a number"),
        *(
            pytest.param(sentence, id=sentence)
            for sentence in (
                *(
                    "Support also answers at weekends.",
                    "We answer at night.",
                    "Sharing is possible.",
                ),
                *("Accounts work on holidays.", "Your review is important.", "You get access now."),
            )
        ),
        pytest.param("The lamp is red!", id="statement with an exclamation mark"),
        pytest.param("Lamps for 5 euros!", id="figure with an exclamation mark"),
        pytest.param("We do not offer refunds.", id="a refusal of the shop"),
        pytest.param("I'm not sure, but the lamp is red.", id="a statement behind a refusal"),
    ],
)
def test_a_check_is_required(sentence: str) -> None:
    assert read_claim(sentence) is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "However, based on the given passages, it appears that lamps glow red.",
        "The passage also states that lamps glow red.",
        "According to passage 2, lamps glow red.",
        "According to passages 1, 2 and 3, lamps glow red.",
        "Based on the given contexts, lamps glow red.",
        "The docs say that lamps glow red.",
        "The first passage says lamps glow red.",
        "Source 1 says that lamps glow red.",
        "It is also stated in the document that lamps glow red.",
        "Laut den Dokumenten gilt: Lamps glow red.",
        "Lamps glow red (see source 3, 4).",
        "Lamps glow red (Passage 2).",
        "Yes, lamps glow red.",
        "Unfortunately, lamps glow red.",
        "**Note:** Lamps glow red.",
        "Ja, lamps glow red.",
    ],
)
def test_talk_about_the_sources_is_not_scored(sentence: str) -> None:
    words = read_claim(sentence)
    assert words is not None
    assert words.content == ("lamps", "glow", "red")


def test_a_claim_is_read_into_what_it_is_scored_by() -> None:
    words = read_claim("Lamps of Acme cost 20 or twenty euros in Rome.")
    assert words is not None
    assert words.content == ("lamps", "acme", "cost", "20", "20", "euros", "rome")
    assert words.distinct == {"lamps", "acme", "cost", "20", "euros", "rome"}
    assert words.numbers == ["20", "20"]
    assert words.names == ["acme", "rome"]
    assert words.pairs[:3] == [("lamps", "of"), ("of", "acme"), ("acme", "cost")]
    assert len(words.pairs) == 9


def test_function_words_of_other_languages_are_no_content() -> None:
    claim = read_claim("Das Licht ist in dem Haus.")
    assert claim is not None
    assert claim.content == ("licht", "haus")
    english = read_claim("The men die in the war of the roses.")
    assert english is not None
    assert english.content == ("men", "die", "war", "roses")
