"""Contradictions: a claim that nearly stands in a fact, and differs in a value or denies it."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.check_claims import check_grounding, find_contradictions
from groundwatch.transforms.lexical.contradictions import find_differences as contradictions
from groundwatch.transforms.lexical.language.negations import CONTRACTED, NEGATING
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from tests.support.answer_messages import parse_answer
from tests.support.checks import check_request, contradictions_of
from tests.support.languages_table import LANGUAGES, sentences
from tests.support.sample import FAILURE, sample_messages

TOWER = (
    "The company of Gustave Eiffel built the tower from 28 January 1887 to March 1889. It is"
    " 330 metres high and weighs 10,100 tonnes. The tower is painted every 7 years; it does not"
    " rust. Nearly two million people paid 26.10 euros in the 1890s."
)
LAMPS = "Lamps glow red at night. The lamp of the Baltic Sea was not moved. Kettles have 2 screws."
PLANS_ALONE = ("The Basic plan costs $5.", "The Pro plan costs $19.")
FACTS = (LAMPS, TOWER)


def found(claim: str, *facts: str) -> list[tuple[str, str, str, int]]:
    [of_claim] = find_contradictions([claim], [(fact, {}) for fact in facts or FACTS])
    return [tuple(each) for each in of_claim]


CONTRADICTED = """
NUMBER | It is *320 metres* high and weighs 10,100 tonnes. | 330 metres
NUMBER | Kettles have *3* screws. | 2
NUMBER | Kettles have *seven* screws. | 2
NUMBER | Nearly *two billion* people paid 26.10 euros. | two million
NUMBER | Nearly two million people paid *30.50 euros*. | 26.10 euros
UNIT | It is *330 feet* high. | 330 metres
UNIT | Nearly two million people paid *$26.10*. | 26.10 euros
DATE | The company of Gustave Eiffel built the tower from *27 January 1887*. | 28 January 1887
DATE | The company of Gustave Eiffel built the tower from *28 January 1987*. | 28 January 1887
DATE | Nearly two million people paid 26.10 euros in the *1920s*. | 1890s
NEGATION | Lamps do *not glow* red at night. | glow
NEGATION | Lamps *don\u2019t glow* red. | glow
NEGATION | The company of Gustave Eiffel *never built* the tower. | built
NEGATION | The lamp of the Baltic Sea was *moved*. | not moved
NEGATION | *No lamps* glow red at night. | Lamps
""".strip().splitlines()
"""Kinds, claims with stars around the value, and what is in that of the fact."""


@pytest.mark.parametrize("row", CONTRADICTED)
def test_a_contradiction_names_the_values_of_claim_and_fact(row: str) -> None:
    kind, claim, of_fact = row.split(" | ")
    [each] = found(claim.replace("*", ""))
    assert each[:2] == (kind, claim.split("*")[1])
    assert of_fact in each[2]
    assert each[3] == next(number for number, fact in enumerate(FACTS) if of_fact in fact)


EVERYBODYS_FIRST_TRY = [
    ("You can log in without a password.", "You cannot log in without a password."),
    ("Sale items are not excluded from returns.", "Sale items are excluded from returns."),
    ("The warranty covers water damage.", "The warranty excludes water damage."),
    ("The test failed on Monday morning.", "The test has not failed on Monday morning."),
    ("Shipping is free in Canada.", "Shipping isn't free in Canada."),
    ("There is a charge for delivery.", "There is no charge for delivery."),
    ("The warranty lasts 3 years.", "The warranty lasts 2 years."),
    ("Basic costs $19.", "Basic costs $5."),
    ("The Basic plan costs $19.", "\n".join(PLANS_ALONE)),
    ("The shop opens at 10 am.", "The shop opens at 9 am."),
    ("At least 4 guests may stay in the cottage.", "Up to 4 guests may stay in the cottage."),
    ("Tickets cost less than $30.", "Tickets cost more than $30."),
    ("The hall holds a maximum of 900 people.", "The hall holds a minimum of 900 people."),
    ("Rentals of 7 days or less get 15% off.", "Rentals of 7 days or more get 15% off."),
    ("Mindestens 20 Personen dürfen teilnehmen.", "Höchstens 20 Personen dürfen teilnehmen."),
    ("Le club accepte au plus 15 enfants.", "Le club accepte au moins 15 enfants."),
    ("Se necesitan como máximo 5 alumnos.", "Se necesitan al menos 5 alumnos."),
    ("The fee is €15.", "A fee of $15 is charged."),
    ("Delivery takes 3-5 days.", "Delivery takes 5-7 days."),
    ("Delivery in the city takes two days.", "Delivery in the city takes one day."),
    ("Delivery in the city takes one day.", "Delivery in the city takes two days."),
    ("Delivery in the city takes a day.", "Delivery in the city takes a week."),
    ("The trial of the plan lasts a month.", "The trial of the plan lasts 14 days."),
    ("La garantie de la lampe dure deux ans.", "La garantie de la lampe dure un an."),
    ("Die Garantie der Lampe gilt ein Jahr.", "Die Garantie der Lampe gilt zwei Jahre."),
    ("Delivery takes 3 to 5 business days.", "Delivery takes 5 to 7 business days."),
    ("The limit is 600 requests per second.", "The limit is 600 requests per minute."),
    ("You can book three classes a day.", "Up to three classes per week can be booked."),
    ("Files of up to 100 MB can be uploaded.", "The limit for files is 100 GB per upload."),
    ("Each extra stamp costs 25p.", "Each extra stamp costs £25."),
    ("The ticket costs 20 francs.", "The ticket costs 20 euros."),
    ("The ticket costs 20 kroner.", "The ticket costs 20 euros."),
    ("A reset link is valid for 24 days.", "Password reset links expire after 24 hours."),
    ("Les fichiers sont limités à 20 Go.", "La taille des fichiers est limitée à 20 Mo."),
    ("The offer ends on May 3, 2025.", "The offer ends on May 13, 2025."),
    ("Die Garantie gilt nicht 24 Monate.", "Die Garantie gilt 24 Monate."),
    ("Die Lampe ist im Haus rot.", "Die Lampe ist im Haus nicht rot."),
    ("La lampe du salon n'est pas rouge.", "La lampe du salon est rouge."),
    ("La lámpara no es roja de noche.", "La lámpara es roja de noche."),
    ("La lampada non funziona di notte.", "La lampada funziona di notte."),
    ("A lâmpada não é vermelha de noite.", "A lâmpada é vermelha de noite."),
    ("De lamp is niet rood in het huis.", "De lamp is rood in het huis."),
    ("電池は充電できません。", "電池は充電できます。"),
    ("电池不能充电。", "电池能充电。"),
    ("電池の価格は9000円です。", "電池の価格は8000円です。"),
]


@pytest.mark.parametrize(("claim", "fact"), EVERYBODYS_FIRST_TRY)
def test_what_everybody_tries_first_is_contradicted(claim: str, fact: str) -> None:
    (checked,) = check_grounding(check_request(claim, fact)).claims
    assert checked.mismatches
    assert checked.score is not None
    assert checked.score <= 0.2 + 1e-9
    assert checked.citation_indices == ()


ALIKE = {
    "no value at all": "Some lamps glow.",
    "a number spelt otherwise": "It weighs 10100 tonnes and is 330.0 metres high.",
    "a number of several words": "2 million people paid 26.10 euros.",
    "a currency's sign": "They paid €26.10.",
    "a number in a reference": "Lamps glow red [4] (passages 7, 8, and 9), as passage 3:4 says.",
    "a number of the answer's own": "There are two reasons: lamps glow red, and at night.",
    "a step of the answer's own": "Step 5: lamps glow red. Repeat steps 5 and 6.",
    "a date spelt otherwise": "It was begun on January 28th, 1887, that is on 1887-01-28.",
    "a modal verb and a walk": "Lamps may glow; people march at night.",
    "a name that is merely added": "Lamps glow red at night in Reykjavik.",
    "another name": "The lamp of the Arctic Sea was not moved.",
    "the same denial": "The tower doesn't rust.",
    "a denial in other words": "The tower stays without rust and is unable to rust.",
    "another subject is denied": "Lamps glow red at night, not in the morning.",
    "not only": "Lamps do not only glow red at night.",
    "a condition": "If lamps do not glow red at night, call us.",
    "a number that no fact has": "Giraffes sleep 4 hours on average.",
    "verbatim": "Kettles have 2 screws.",
    "a question's mark only": "?",
}


@pytest.mark.parametrize("claim", ALIKE.values(), ids=ALIKE)
def test_another_form_of_the_same_value_does_not_contradict(claim: str) -> None:
    assert found(claim) == []


AGREEING = {
    "a day is no other than 24 hours": (
        "Support answers within a day.",
        "Support answers within 24 hours.",
    ),
    "a week in a day": ("A day pass costs 5 euros.", "A day pass costs 5 euros, a 7-day pass 20."),
    "an article before a unit": ("You can take a day off.", "You can take a day off in a week."),
    "a denial of another kind": ("Les chiens ne sont pas admis.", "Les chiens sont interdits."),
    "a prohibition": ("酒店不允许携带宠物。", "酒店禁止携带宠物。"),
    "both deny": ("Die Lampe ist nicht rot.", "Die Lampe ist also nicht rot."),
    "only a negation's word": ("Sin embargo la lámpara es roja.", "La lámpara es roja."),
    "of another thing": ("電池は高いです。", "電池は高いです。箱は使えません。"),
    "a negation in another part": (
        "The shop opens at 9 on weekdays.",
        "The shop opens at 9 on weekdays and is not open on Sunday.",
    ),
    "a denial about another day": (
        "On Sundays the shop does not open.",
        "The shop opens at 9 on weekdays and is closed on Sunday.",
    ),
    "no in Portuguese": ("A loja fica no centro da cidade.", "A loja fica em centro da cidade."),
    "excluded and not covered": (
        "The warranty doesn't cover water damage.",
        "The warranty excludes water damage.",
    ),
    "of the same plan": ("The Basic plan costs $5.", "\n".join(PLANS_ALONE)),
    "the number of a citation mark": (
        "Of these, 117,000 or more work in the old lamp factories of the town.",
        "[1] Of these more work in the old lamp factories of the town.",
    ),
    "a number in a range": ("The delivery takes 4 days.", "The delivery takes 3-5 days."),
    "a unit that another fact has": (
        "The export endpoint takes 20 requests per hour.",
        "The search endpoint takes 20 requests per second. The export one takes 20 per hour.",
    ),
}


@pytest.mark.parametrize(("claim", "fact"), AGREEING.values(), ids=AGREEING)
def test_what_agrees_is_no_contradiction(claim: str, fact: str) -> None:
    assert found(claim, fact) == []


def test_no_sentence_of_the_sample_differs_from_the_passages_it_is_from() -> None:
    answers = [parse_answer(each.message) for each in sample_messages() if each.outcome != FAILURE]
    given = {tuple(fact.text for fact in answer.facts) for answer in answers}
    given = {texts for texts in given if len(texts) < 10}
    assert len(given) > 40
    for texts in given:
        passages = [(text, {}) for text in texts]
        sentences = [each.text for text in texts for each in split_sentences(text)]
        assert find_contradictions(sentences, passages) == [[]] * len(sentences)


WORDS = (
    "12 1999 May 5 March Lamps not glow never 10,000 km $ 7 % Alan Turing can't 3:4 in the red ."
)
TEXTS = st.lists(st.sampled_from(WORDS.split(" ")), max_size=12).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_values_are_cut_out_of_the_claim_and_the_fact_as_they_are_written(
    claim: str, facts: list[str]
) -> None:
    for _, claim_value, fact_value, fact in found(claim, *facts) if facts else []:
        assert claim_value in claim
        assert fact_value in facts[fact]


@given(st.text(max_size=80), st.lists(st.text(max_size=80), min_size=1, max_size=3))
def test_any_text_can_be_compared(claim: str, facts: list[str]) -> None:
    assert all(value for _, value, _, _ in found(claim, *facts))


NUMBERS = st.one_of(
    st.from_regex(r"[0-9][0-9.,]{0,8}", fullmatch=True),
    st.sampled_from(["9" * 400, "trillion " * 40, "9" + "万" * 90, "1999", "1.2.3.4", "0", "3-5"]),
)


@given(
    st.sampled_from(["", "about ", "over ", "nearly ", "3 to "]),
    NUMBERS,
    NUMBERS,
    st.sampled_from(["", " million", " % a day", " GB", " days"]),
)
def test_any_numbers_can_be_compared(hedge: str, one: str, other: str, unit: str) -> None:
    claim, fact = (f"The {each}{unit} users agree on it." for each in (hedge + one, other))
    for text, passage in ((claim, fact), (fact, claim)):
        assert all(value for _, value, _, _ in found(text, passage))


def test_of_many_facts_those_with_most_of_the_claims_words_are_read() -> None:
    facts = [f"Filler number {n} says little." for n in range(30)]
    claim = "It is 320 metres high and weighs 10,100 tonnes."
    assert found(claim, *facts, TOWER) == [("NUMBER", "320 metres", "330 metres", 30)]


NUMBERED = range(1, 100)
WATERPROOF = [f"Lamp {number} is waterproof." for number in NUMBERED]
DENIED_EACH = [f"Lamp {number} is not waterproof." for number in NUMBERED]
OF_GUESTS = [f"Here pets of guest {number}, as we say, are often allowed." for number in NUMBERED]
PARTS = ("doors", "lamps", "pumps", "wheels", "brakes", "belts", "chains", "seats", "pedals")
HIDDEN = {
    "one sentence on each page": (
        "The warranty is 3 years.",
        "2 years",
        ["The warranty is 2 years."] * 99,
    ),
    "a catalogue": (
        "Lamp L-36 has a warranty of 99 years.",
        "2 years",
        [f"Lamp L-{number} has a warranty of 2 years." for number in NUMBERED],
    ),
    "one row denies": (
        "Lamp 90 is waterproof.",
        "not waterproof",
        [*WATERPROOF[:89], DENIED_EACH[89], *WATERPROOF[90:]],
    ),
    "one row does not deny": (
        "Lamp 90 is not waterproof.",
        "waterproof",
        [*DENIED_EACH[:89], WATERPROOF[89], *DENIED_EACH[90:]],
    ),
    "words that are often apart and once together": (
        "The pump has a lamp of 5 watts.",
        "9 watts",
        [
            *(f"The pump {number} is red." for number in NUMBERED),
            *(f"The lamp {number} is red." for number in NUMBERED),
            "The pump has a lamp of 9 watts.",
        ],
    ),
    "sentences without a value": (
        "The warranty is 3 years.",
        "2 years",
        [*(f"The warranty covers {part}." for part in PARTS), "The warranty is 2 years."],
    ),
    "longer sentences": (
        "Pets are allowed here.",
        "not allowed",
        [*OF_GUESTS, "Pets are not allowed here."],
    ),
}


@pytest.mark.parametrize(("claim", "of_fact", "lines"), HIDDEN.values(), ids=HIDDEN)
def test_no_number_of_alike_sentences_hides_a_contradiction(
    claim: str, of_fact: str, lines: list[str]
) -> None:
    assert [each[2:] for each in found(claim, "\n".join(lines))] == [(of_fact, 0)]


@pytest.mark.parametrize("number", [15, 90])
@pytest.mark.parametrize("rows", [20, 99])
def test_a_row_of_many_is_compared_with_the_claim_about_it(number: int, rows: int) -> None:
    claim, fact = f"The lamp {number} is waterproof.", "\n".join(WATERPROOF[:rows])
    assert bool(found(claim, fact)) == (number > rows)


def test_equal_facts_hide_no_other() -> None:
    repeated = ["The shop sells chairs, opens boxes and at times 3 cats not."] * 9
    claim = "The shop opens at 9 am."
    assert found(claim, *repeated, "The shop opens at 8 am.") == [("NUMBER", "9 am.", "8 am.", 9)]


def test_numbers_in_the_uri_of_a_fact_are_not_compared() -> None:
    fact = ("The warranty lasts 14 days.", {"uri": "https://help.example.com/answer/30"})
    [[each]] = find_contradictions(["The warranty lasts 30 days."], [fact])
    assert (each.kind, each.claim_value, each.fact_value) == ("NUMBER", "30 days", "14 days")


NEGATED = [(f"The shop {word} opens.", "The shop opens.") for word in sorted(NEGATING | CONTRACTED)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fast_tests_miss_nothing_in_a_language(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [(each.text, each.fact) for each in sentences(language) if each.fact]
    assert fast_and_slow(pairs, monkeypatch)


def test_the_fast_tests_miss_no_word_that_negates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fast_and_slow(NEGATED, monkeypatch)


TWO_VALUES = "The work takes {} in the shop and the job needs {}."
SHARED = ("a day", "5 kg", "20 percent", "$5", "May 2019", "10 am")
VALUES = (
    *("a day", "one day", "two days", "a month", "5 kg", "7 kg", "5 cm", "20 percent"),
    *("20 dollars", "$5", "€5", "May 2019", "5 May 2019", "5 lamps", "10 am", "10 pm"),
)


def test_the_fast_tests_miss_no_value_beside_one_that_both_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = [
        (TWO_VALUES.format(one, shared), TWO_VALUES.format(*of_fact))
        for shared, (one, other) in product(SHARED, permutations(VALUES, 2))
        if shared not in (one, other)
        for of_fact in ((other, shared), (shared, other))
    ]
    assert fast_and_slow(changed, monkeypatch)


def fast_and_slow(pairs: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Find contradictions with the fast test, and without; returns whether there are any."""
    fast = [contradictions_of(*pair) for pair in pairs]
    monkeypatch.setattr(contradictions, "_may_differ", lambda *_: True)
    assert fast == [contradictions_of(*pair) for pair in pairs]
    return any(fast)
