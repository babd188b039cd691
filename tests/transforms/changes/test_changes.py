"""What is changed in a statement, by kind, and what stays as it is."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.changes.cases import Case, make_cases
from groundwatch.transforms.changes.change_kind import IN_ANY_LANGUAGE, ChangeKind
from groundwatch.transforms.changes.changed_unit import (
    IN_ANY_LANGUAGE as UNITS_IN_ANY_LANGUAGE,
)
from groundwatch.transforms.changes.changed_unit import IN_ENGLISH, change_unit
from groundwatch.transforms.changes.changed_values import change_date, change_number
from groundwatch.transforms.changes.condition import change_condition
from groundwatch.transforms.changes.denial import change_denial
from groundwatch.transforms.changes.role import change_role
from groundwatch.transforms.changes.statement import (
    Source,
    Statement,
    find_statements,
    spelled_alike,
)
from groundwatch.transforms.lexical.units import UNITS
from groundwatch.transforms.lexical.value import DATE, NUMBER
from groundwatch.transforms.lexical.values import read_values

Change = Callable[[Statement], str | None]


def alone(text: str) -> Statement:
    """A statement that is all of its fact."""
    return Statement(text, Source(Fact(text=text)))


NUMBERS = {
    "The battery lasts 12 hours.": "The battery lasts {}2 hours.",
    "Each box has 250 pencils.": "Each box has {}50 pencils.",
    "The ticket costs $4.95.": "The ticket costs ${}.95.",
    "The fee is 1,299.50 euros.": "The fee is {},299.50 euros.",
    "Die Garantie dauert 24 Monate.": "Die Garantie dauert {}4 Monate.",
    "您可以在收货后7天内申请退货。": "您可以在收货后{}天内申请退货。",
    "The tank holds 0.5 l of water.": "The tank holds 0.{} l of water.",
}


@pytest.mark.parametrize(("text", "form"), NUMBERS.items(), ids=NUMBERS)
def test_a_number_keeps_its_form(text: str, form: str) -> None:
    changed = change_number(alone(text))
    assert changed in {form.format(digit) for digit in "123456789"} - {text}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("The shop gives an 8 percent discount to members.", None),
        ("The course comes with an 80 page book for everybody.", None),
        ("The shop has an 18 day trial for new members.", r"The shop has an 88 day .*"),
        ("The shop has a 30 day trial for new members.", r"The shop has a [15679]0 day .*"),
    ],
)
def test_an_article_fits_the_new_number(text: str, changed: str | None) -> None:
    found = change_number(alone(text))
    assert found is None if changed is None else re.fullmatch(changed, found or "")


def test_a_small_number_in_words_becomes_another_one() -> None:
    changed = change_number(alone("The library lends six books to each reader."))
    assert changed is not None
    word = changed.removeprefix("The library lends ").removesuffix(" books to each reader.")
    assert word in "two three four five seven eight nine ten eleven twelve".split()  # noqa: SIM905


@pytest.mark.parametrize(
    "text",
    [
        "The manual has a table in section 5.1.",
        "Step 3 explains the cable.",
        "Windows 11 starts faster than before.",
        "Call the number 0800 555 123 for help.",
        "The meeting has more than 50 visitors.",
        "The course takes at least 8 weeks.",
        "Delivery takes 3 to 5 days.",
        "Children of 12 years or older may swim.",
        "The model A4 needs paper.",
        "The two lamps glow at night.",
        "The 21st guest gets a cake.",
        "The lamp glows red at night.",
        "All of the water is gone, 100 % of it.",
    ],
)
def test_a_number_stays_that_is_a_name_a_range_or_a_limit(text: str) -> None:
    assert change_number(alone(text)) is None


def test_the_new_number_is_nowhere_in_the_fact() -> None:
    text = "The warranty lasts 3 years."
    fact = Fact(text=f"{text} It was 1, 2, 4, 5, 6, 7 and 8 years before.")
    assert change_number(Statement(text, Source(fact))) == "The warranty lasts 9 years."


DATES = {
    "The museum opened in 1998.": r"The museum opened in (19|20)\d\d\.",
    "The price holds from 5 March 2019 on.": r"The price holds from \d [A-Z][a-z]+ \d{4} on\.",
    "Das Angebot gilt seit dem 5. Mai 2021.": r"Das Angebot gilt seit dem \d\. [A-Z]\S+ \d{4}\.",
    "The release is of 2024-05-03.": r"The release is of \d{4}-05-03\.",
    "The shop is closed on Mondays.": r"The shop is closed on [A-Z][a-z]+days\.",
}


@pytest.mark.parametrize(("text", "form"), DATES.items(), ids=DATES)
def test_a_part_of_a_date_changes(text: str, form: str) -> None:
    changed = change_date(alone(text))
    assert changed is not None
    assert changed != text
    assert re.fullmatch(form, changed)
    assert not any(
        own.equals(new)
        for own in read_values(text)
        for new in read_values(changed)
        if own.kind == new.kind
    )


@pytest.mark.parametrize(
    "text",
    [
        "Applications must arrive before 1 May 2024.",
        "The shop is open from Monday to Friday.",
        "The war of 1914-1918 changed the town.",
        "The bank lends 1500 dollars.",
        "It was built in the 1990s by the town.",
        "Peugeot made the model 2008 in France.",
    ],
)
def test_a_date_stays_that_is_a_limit_a_range_or_a_name(text: str) -> None:
    assert change_date(alone(text)) is None


UNIT_CHANGES = {
    "The battery lasts 12 hours.": {
        "The battery lasts 12 minutes.",
        "The battery lasts 12 days.",
    },
    "A 30-day trial is free.": {"A 30-hour trial is free.", "A 30-week trial is free."},
    "The ticket costs $5.": {"The ticket costs €5.", "The ticket costs £5."},
    "La garantie est de 24 mois.": {
        "La garantie est de 24 ans.",
        "La garantie est de 24 semaines.",
    },
    "The disk has 500 GB of space.": {
        "The disk has 500 MB of space.",
        "The disk has 500 TB of space.",
    },
}


@pytest.mark.parametrize(("text", "changes"), UNIT_CHANGES.items(), ids=UNIT_CHANGES)
def test_a_unit_becomes_the_next_one_of_its_kind(text: str, changes: set[str]) -> None:
    assert change_unit(alone(text)) in changes


@pytest.mark.parametrize(
    "text",
    [
        "The second floor is closed today.",
        "The course takes at least 8 weeks.",
        "About 20 percent of it is water.",
        "The price is $5, which is about €4.50 or £4.",
    ],
)
def test_a_unit_stays_of_a_limit_or_where_the_fact_has_the_others(text: str) -> None:
    assert change_unit(alone(text)) is None


def test_a_new_unit_measures_the_same_and_is_another_one() -> None:
    for table in (IN_ENGLISH, UNITS_IN_ANY_LANGUAGE):
        for unit, row in table.items():
            for other in row:
                own, its = (UNITS[each.lower()] for each in (unit, other))
                is_money = {unit, other} <= {*"$ € £ USD EUR GBP CHF dollars euros".split()}  # noqa: SIM905
                assert is_money or {each.dimension for each in own} & {
                    each.dimension for each in its
                }, (unit, other)
                assert unit == other or set(own).isdisjoint(its), (unit, other)


DENIALS = {
    "Returns are free for members.": "Returns are not free for members.",
    "The region cannot be changed later.": "The region can be changed later.",
    "Light fares do not include checked baggage.": "Light fares do include checked baggage.",
    "The plan includes free calls to Spain.": "The plan does not include free calls to Spain.",
    "The house has two doors in the back.": "The house does not have two doors in the back.",
    "The parcel has been sent to Paris.": "The parcel has not been sent to Paris.",
    "Guests can park in the yard.": "Guests cannot park in the yard.",
    "The pool isn't heated in winter.": "The pool is heated in winter.",
    "The costs are paid by the seller.": "The costs are not paid by the seller.",
}
NO_DENIALS = [
    "Some lamps are red at night.",
    "Guests may park in the yard.",
    "The lamp that is red can be returned.",
    "All lamps are sold with a cable.",
    "Only members can book a court.",
    "If the lamp is red, the door is closed.",
    "The lamp is not red and not blue.",
    "Die Lampen sind rot in der Nacht.",
    "Run the engine to warm it up.",
]

CONDITIONS = {
    "You can return the lamp if it is unused.": "You can return the lamp.",
    "Returns are free of charge unless the seal is broken.": "Returns are free of charge.",
    "If you cancel in time, the deposit is paid back.": "The deposit is paid back.",
    "The deposit will be paid back, provided that the room is clean.": (
        "The deposit will be paid back."
    ),
}
NO_CONDITIONS = [
    "Please see if the lamp is red at night.",
    "Contact the support team if the lamp is broken.",
    "If the lamp is broken, it will be replaced.",
    "You can pay by card, if possible, or in cash.",
    "The lamp glows red at night.",
    "Only members can book the court.",
    "If the light is red, check that the cable is in the port.",
    "The lamp may become hot if it is covered.",
    "You cannot park in the yard of the house.",
]

ROLES = {
    "Nikon acquired Leica in 1998.": "Leica acquired Nikon in 1998.",
    "The bridge was designed by Robert Maillart.": "Robert Maillart was designed by the bridge.",
    "The red lamp is brighter than the blue lamp.": "The blue lamp is brighter than the red lamp.",
    "The company sends goods from Berlin to Paris.": (
        "The company sends goods from Paris to Berlin."
    ),
    "The tenant pays the owner for the water.": "The owner pays the tenant for the water.",
    "Teachers supervise students during the exam.": "Students supervise teachers during the exam.",
}
NO_ROLES = [
    "He acquired the company in 1998.",
    "The parcel was sent by mail on Monday.",
    "The red lamp is brighter than the lamp.",
    "Trains run from Monday to Friday.",
    "The lamp glows red at night.",
    "The owner pays the tenants for the water.",
]

EXPECTED: dict[Change, tuple[dict[str, str], list[str]]] = {
    change_denial: (DENIALS, NO_DENIALS),
    change_condition: (CONDITIONS, NO_CONDITIONS),
    change_role: (ROLES, NO_ROLES),
}


@pytest.mark.parametrize(
    ("change", "text", "changed"),
    [
        pytest.param(change, text, changed, id=text)
        for change, (made, not_made) in EXPECTED.items()
        for text, changed in [*made.items(), *dict.fromkeys(not_made).items()]
    ],
)
def test_a_statement_is_changed_by_kind_or_left_alone(
    change: Change, text: str, changed: str | None
) -> None:
    assert change(alone(text)) == changed


@pytest.mark.parametrize("text", ["Members can book the court.", "You may park in the yard."])
def test_a_rule_without_a_condition_gets_one_that_the_fact_does_not_have(text: str) -> None:
    changed = change_condition(alone(text))
    assert changed is not None
    assert changed.startswith(text.removesuffix("."))
    assert any(word in changed for word in (", but only ", ", unless ", ", provided that "))


PASSAGES = (
    "The Basic plan includes three seats and costs $12 per month.",
    "The Pro plan includes 24 projects and is billed in March 2024.",
    "The head office is in Hamburg. Parcels are sent within 5 days.",
    "The warehouse is in Rotterdam, and it was opened in 1998.",
    "Members can book the court if they have paid the fee.",
)


def statements_of(*passages: str) -> list[Statement]:
    return [each for passage in passages for each in find_statements(Fact(text=passage), group=1)]


def cases_of(kind: ChangeKind | None, *passages: str, most: int = 100) -> list[Case]:
    return [case for case in make_cases(statements_of(*passages), most) if case.kind is kind]


def test_a_name_is_one_of_another_fact_in_the_same_kind_of_place() -> None:
    changed = {case.original: case.text for case in cases_of(ChangeKind.NAME, *PASSAGES)}
    assert changed == {
        "The Basic plan includes three seats and costs $12 per month.": (
            "The Pro plan includes three seats and costs $12 per month."
        ),
        "The Pro plan includes 24 projects and is billed in March 2024.": (
            "The Basic plan includes 24 projects and is billed in March 2024."
        ),
        "The head office is in Hamburg.": "The head office is in Rotterdam.",
        "The warehouse is in Rotterdam, and it was opened in 1998.": (
            "The warehouse is in Hamburg, and it was opened in 1998."
        ),
    }


def test_a_name_is_not_replaced_by_one_that_may_name_the_same() -> None:
    initials = "The office is in New York.", "The shop is in NY."
    part = "The office is in Frankfurt.", "The shop is in Frankfurter."
    assert cases_of(ChangeKind.NAME, *initials) == cases_of(ChangeKind.NAME, *part) == []


def test_another_name_fits_its_article_and_a_point_of_a_name_ends_none() -> None:
    passages = (
        *("We repair an Apple device for you.", "The shop will sell a Samsung device to you."),
        *("Members get an Epson device at work.", "There is a museum in Washington D.C."),
        *("The museum is in Washington D.C. and opens daily.", "The shop is in Berlin for years."),
    )
    changed = {case.original: case.text for case in cases_of(ChangeKind.NAME, *passages)}
    assert changed == {
        "We repair an Apple device for you.": "We repair an Epson device for you.",
        "Members get an Epson device at work.": "Members get an Apple device at work.",
    }


def test_two_facts_are_merged_to_what_neither_says() -> None:
    merged = cases_of(ChangeKind.MERGED, *PASSAGES)
    assert len(merged) >= 2
    for case in merged:
        assert len({fact.text for fact in case.facts}) == 2
        assert not any(case.text in fact.text for fact in case.facts)
        subject = case.original.split(" includes ")[0]
        assert case.text.startswith(f"{subject} ")


def test_facts_of_different_answers_are_not_merged() -> None:
    statements = [
        each
        for group, passage in enumerate(PASSAGES)
        for each in find_statements(Fact(text=passage), group)
    ]
    made = {case.kind for case in make_cases(statements, 100)}
    assert ChangeKind.MERGED not in made
    assert ChangeKind.NAME in made


def test_other_languages_get_values_changed_alone() -> None:
    german = (
        "Die Garantie dauert 24 Monate und beginnt am 5. Mai 2021.",
        "Der Laden in Hamburg ist nicht geöffnet, wenn es regnet.",
        "Der Laden in Bremen ist geöffnet, und die Kunden können parken.",
    )
    made = {case.kind for case in make_cases(statements_of(*german), 100)}
    assert made == {None, *IN_ANY_LANGUAGE}


NO_STATEMENTS = [
    "Opening hours",
    "Is the lamp red at night?",
    "Thank you very much for your help!",
    "See https://shop.example/returns for all of it.",
    "| Plan | Price per month |",
    "and then the lamp glows red.",
    "The lamp (which is red glows.",
    "Lamps glow red.",
    "The Best Lamps Of The Whole Wide World.",
    "The lamp glows red.It is new.",
]


@pytest.mark.parametrize("text", NO_STATEMENTS)
def test_what_is_no_sentence_by_itself_is_not_taken(text: str) -> None:
    assert list(find_statements(Fact(text=text))) == []


def test_more_cases_include_those_of_fewer() -> None:
    few, many = (make_cases(statements_of(*PASSAGES), most) for most in (1, 3))
    assert few == [case for case in many if case in few]
    assert max(sum(case.kind is kind for case in few) for kind in (None, *ChangeKind)) == 1


def test_the_order_of_the_passages_does_not_matter() -> None:
    assert make_cases(statements_of(*PASSAGES), 2) == make_cases(statements_of(*PASSAGES[::-1]), 2)


_SUBJECTS = st.sampled_from(
    ["The Basic plan", "Our members", "The lamp", "Guests", "Das Gerät", "Le tarif", "The owner"]
)
_PARTS = st.sampled_from(
    [
        *("costs $12 per month", "is not red", "can park in Hamburg", "was opened in 1998"),
        *("includes 24 seats", "kostet 30 Euro", "est de 24 mois", "pays the tenant"),
        *("is cheaper than the Pro plan", "has 3 doors", "lasts until 5 May 2024"),
        *("will be paid back if the room is clean", "takes 5 days", "are sent to Rotterdam"),
    ]
)
_JOINED = st.sampled_from([" and ", ", and it ", " in summer, but it "])
_SENTENCES = st.builds(
    lambda subject, one, join, two: f"{subject} {one}{join}{two}.",
    _SUBJECTS,
    _PARTS,
    _JOINED,
    _PARTS,
) | st.builds(lambda subject, part: f"{subject} {part} every day.", _SUBJECTS, _PARTS)
_TEXTS = st.lists(_SENTENCES | st.text(max_size=60), min_size=1, max_size=4).map(" ".join)


@given(st.lists(_TEXTS, min_size=1, max_size=5))
def test_a_change_says_something_else_and_what_is_unchanged_stands_in_the_fact(
    passages: list[str],
) -> None:
    statements = [
        each for passage in passages for each in find_statements(Fact(text=passage), group=1)
    ]
    for case in make_cases(statements, 5):
        assert case.original in case.facts[0].text
        if case.kind is None:
            assert case.text == case.original
        else:
            assert spelled_alike(case.text) != spelled_alike(case.original)
            assert all(case.text not in fact.text for fact in case.facts)


@given(_SENTENCES)
def test_a_changed_number_or_date_is_read_as_another_value(text: str) -> None:
    for change, kind in ((change_number, NUMBER), (change_date, DATE)):
        changed = change(alone(text))
        if changed is None:
            continue
        own, new = (
            [value.raw or value.dates for value in read_values(each) if value.kind == kind]
            for each in (text, changed)
        )
        assert len(own) == len(new)
        assert own != new
