"""The sentences of facts that are quoted for a claim."""

import pytest

from groundwatch import check
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.quoting import (
    MAX_CHARACTERS,
    Quote,
    cut_sentence,
    nearest_quote,
    quote_facts,
)
from groundwatch.transforms.rules.redaction import TextMode, redact, without_fact_texts
from tests.support.builders import a_claim, a_fact, an_enriched

LAMPS = "Lamps are sold in Berlin. The warranty is 2 years. It does not cover the bulbs."
RETURNS = "You can return it within 30 days of purchase. Keep the box."
LONG = "and so on, " * 40


def quoted(record: EnrichedAnswer) -> list[tuple[Quote, ...]]:
    """What is quoted for each claim."""
    parts = record.claims, record.mismatches, record.facts
    return [quote_facts(number, *parts) for number in range(len(record.claims))]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        (["It is red.", "It is cold. Kettles boil."], Quote(1, "Kettles boil.")),
        (["It is red."], None),
        ([], None),
        (["It is red. " * 6_000, "Kettles boil."], None),
    ],
    ids=["near", "nothing near", "no facts", "behind what is read"],
)
def test_the_nearest_sentence_of_all_facts_is_quoted(facts: list[str], found: Quote | None) -> None:
    assert nearest_quote(a_claim("Kettles vote."), [a_fact(each) for each in facts]) == found


def test_a_claim_has_the_sentence_that_it_contradicts_or_that_supports_it() -> None:
    answer = "The warranty is 3 years. It glows at night. You can return it within 30 days."
    assert quoted(check(answer, [RETURNS, LAMPS])) == [
        (Quote(1, "The warranty is 2 years.", contradicts=True),),
        (),
        (Quote(0, "You can return it within 30 days of purchase."),),
    ]


@pytest.mark.parametrize(
    ("answer", "fact", "sentence"),
    [
        ("The warranty covers the bulbs.", LAMPS.replace("It ", "The warranty "), "not cover"),
        ("The Lampo costs $30.", "| name | price |\n|---|---|\n| Lampo | $30 |", "Lampo | $30"),
        ("The Lampo costs $30.", '{"text": "The Lampo costs $40.", "id": 7}', "costs $40."),
        (
            "保証期間は3年です。",
            "ランプは赤い。保証期間は2年です。電球は対象外です。",
            "保証期間は2年です。",
        ),
        (
            "The warranty is 3 years.",
            "The warranty\nis long.\nThe warranty is 2 years.",
            "2 years.",
        ),
    ],
    ids=["denial", "table", "JSON", "Japanese", "lines"],
)
def test_a_sentence_is_as_the_checker_reads_it(answer: str, fact: str, sentence: str) -> None:
    [[quote]] = quoted(check(answer, [fact]))
    assert sentence in quote.text
    assert "\n" not in quote.text


def test_of_several_cited_facts_the_nearest_sentence_is_quoted() -> None:
    claim = a_claim(
        "The lamp glows red at night.", score=0.9, citations=(0, 1), citation_starts=(0,)
    )
    facts = a_fact("The lamp glows."), a_fact("Red lamps are dear. The lamp glows red at night.")
    record = an_enriched(claims=(claim,), facts=facts)
    assert quoted(record) == [(Quote(1, "The lamp glows red at night."),)]


def test_each_sentence_that_a_claim_contradicts_is_quoted_once() -> None:
    changed = [("3", "2", 0), ("30", "60", 0), ("Oslo", "Rome", 1)]
    mismatches = tuple(
        Contradiction(claim=0, kind="NUMBER", claim_value=said, fact_value=value, fact=fact)
        for said, value, fact in changed
    )
    facts = a_fact("It costs 2 or 60 crowns."), a_fact("It is from Rome.")
    claim = a_claim("It costs 3 or 30 crowns in Oslo.", score=0.1)
    record = an_enriched(claims=(claim,), facts=facts, mismatches=mismatches)
    [quotes] = quoted(record)
    assert [each.text for each in quotes] == ["It costs 2 or 60 crowns.", "It is from Rome."]
    assert all(each.contradicts for each in quotes)


@pytest.mark.parametrize(
    "place", ["{0}The warranty is 2 years {0}.", "The warranty {0}{0}is 2 years."]
)
def test_a_long_sentence_is_cut_around_the_value(place: str) -> None:
    mismatch = Contradiction(
        claim=0, kind="NUMBER", claim_value="3 years", fact_value="2 years", fact=0
    )
    claim = a_claim("The warranty is 3 years.", score=0.1)
    facts = (a_fact(place.format(LONG)),)
    [[quote]] = quoted(an_enriched(claims=(claim,), facts=facts, mismatches=(mismatch,)))
    assert "2 years" in quote.text
    assert quote.text.startswith("… ")
    assert len(quote.text) <= MAX_CHARACTERS + 4
    assert {*quote.text.split()} <= {*facts[0].text.split(), "…"}


def test_a_sentence_is_cut_at_words() -> None:
    words = "lamp " * 100
    assert cut_sentence("Lamps\n glow. ") == "Lamps glow."
    assert {*cut_sentence(words).split()} == {"lamp", "…"}
    assert cut_sentence("x" * 300) == f"{'x' * MAX_CHARACTERS} …"


def test_of_a_large_fact_the_cited_place_is_read() -> None:
    filler = "Kettles boil fast. " * 9_000
    facts = (a_fact(f"{filler}Ärgerlich. The lamp glows red. {filler}"),)
    start = len(f"{filler}Ärgerlich. ".encode())
    claim = a_claim("The lamp glows red.", score=0.9, citations=(0,), citation_starts=(start,))
    record = an_enriched(claims=(claim,), facts=facts)
    assert quoted(record) == [(Quote(0, "The lamp glows red."),)]


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_what_the_run_did_not_keep_is_not_quoted(mode: TextMode) -> None:
    record = check("The warranty is 3 years. Keep the box.", [LAMPS, RETURNS])
    assert all(quoted(record))
    assert not any(quoted(redact(record, mode)))
    assert not any(quoted(without_fact_texts(record)))


def test_a_fact_that_does_not_exist_or_shares_no_word_is_not_quoted() -> None:
    claims = (
        a_claim("Lamps glow.", score=0.9, citations=(7,), citation_starts=(0,)),
        a_claim("Lampen leuchten.", 12, score=0.9, citations=(0,), citation_starts=(0,)),
    )
    mismatch = Contradiction(claim=1, kind="NUMBER", claim_value="3", fact_value="2", fact=9)
    record = an_enriched(claims=claims, facts=(a_fact("Lamps glow."),), mismatches=(mismatch,))
    assert quoted(record) == [(), ()]
