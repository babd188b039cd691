"""Statements beside greetings, announcements, refusals and in questions: none goes unchecked."""

# ruff: noqa: RUF001 - phrases of several languages

import pytest

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.claims import read_claim
from groundwatch.transforms.lexical.sentences import split_sentences
from tests.support.checks import check_request

ENGLISH = "the ferry takes bicycles on Sundays"
GERMAN = "die Fähre nimmt sonntags Fahrräder mit"
FRENCH = "le bac transporte les vélos le dimanche"
SPANISH = "el transbordador lleva bicicletas los domingos"
BESIDE = {
    ENGLISH: """
        Here's what the timetable says: X.
        Hello Anna, X.
        Hi Ben – X.
        Thanks for asking, X.
        Thank you for your patience: X.
        I'm happy to confirm that X.
        I'm sorry to say that X.
        I apologize for the confusion, X.
        Welcome back, X.
        If you have further questions, note that X.
        I don't have details on your booking, but X.
        I don't know who told you that, however X.
        X, although the documents do not mention the details.
        X, but the passage does not say more.
        The documents do not mention exceptions, but X.
        The passages contain no prices; X.
        X, right?
        X, isn't it?
        Did you know that X?
    """,
    GERMAN: """
        Danke für Ihre Frage, X.
        Vielen Dank für Ihre Nachricht: X.
        Ich verstehe Ihren Ärger, aber X.
        Entschuldigen Sie die Verwirrung, X.
        Wenn Sie weitere Fragen haben, beachten Sie, dass X.
        Die Dokumente nennen keine Ausnahmen, aber X.
        X, obwohl die Dokumente keine Einzelheiten nennen.
        X, oder?
        Wussten Sie, dass X?
    """,
    FRENCH: """
        Merci pour votre question, X.
        Laissez-moi vous expliquer : X.
        Je comprends votre frustration, mais X.
        Les documents ne mentionnent pas d'exceptions, mais X.
        X, bien que les documents ne donnent pas de détails.
        X, n'est-ce pas ?
        Saviez-vous que X ?
    """,
    SPANISH: """
        Gracias por su pregunta, X.
        Déjeme explicarle: X.
        Lamentablemente no puedo ver su pedido, pero X.
        Los documentos no mencionan excepciones, pero X.
        X, aunque los documentos no mencionan los detalles.
        X, ¿verdad?
        ¿Sabía que X?
    """,
}
STATED = [
    (statement, line.strip())
    for statement, lines in BESIDE.items()
    for line in lines.strip().splitlines()
]
NOTHING_STATED = """
Here are the steps to renew a ticket for the ferry:
To renew a ticket, follow these steps:
The most common reasons for a delay are:
Popular routes include:
The passage describes two different ferries:
Would you like me to check the ferry for Sunday?
Do you want a ticket for Sunday, or for Monday?
The documents do not mention prices, bicycles or dogs on the ferry.
The documents do not mention bicycles, but rather describe cars and trucks on the ferry.
The passage says nothing about bicycles, but it does not exclude bicycles or dogs either.
I'm sorry, I don't have information about bicycles, dogs or cars.
Thanks for asking, Anna!
Hello Anna, how can I help you today?
Guten Tag, Frau Schneider!
Se tiver mais perguntas, estou aqui para ajudar.
I hope that helps, and have a nice day!
""".strip().splitlines()
HEADINGS = [
    ("The ferry takes 40 bicycles", True),
    ("You can take bicycles on Sundays", True),
    ("Fahrräder sind sonntags nicht erlaubt", True),
    ("Les vélos ne sont pas admis à bord", True),
    ("Las bicicletas no están permitidas", True),
    ("How you can take bicycles on Sundays", False),
    ("Bicycles on board", False),
    ("Refund policy", False),
    ("Preise und Zeiten", False),
]


def words_of(sentence: str) -> frozenset[str]:
    claim = read_claim(sentence)
    assert claim is not None
    return claim.distinct


@pytest.mark.parametrize(("statement", "line"), STATED)
def test_a_statement_beside_what_needs_no_check_is_a_claim(statement: str, line: str) -> None:
    begins = line.startswith("X")
    text = line.replace("X", statement[0].upper() + statement[1:] if begins else statement)
    assert words_of(text) >= words_of(f"{statement}.")


@pytest.mark.parametrize("sentence", NOTHING_STATED)
def test_what_states_nothing_needs_no_check(sentence: str) -> None:
    assert read_claim(sentence) is None


@pytest.mark.parametrize("form", ["# {}", "## {}", "**{}**", "{}:"])
@pytest.mark.parametrize(("title", "is_claim"), HEADINGS)
def test_a_heading_that_is_a_sentence_is_a_claim(form: str, title: str, *, is_claim: bool) -> None:
    [heading, _] = split_sentences(f"{form.format(title)}\n\nThe ferry leaves at noon.")
    claim = read_claim(heading.text, is_heading=heading.is_heading)
    assert (claim is not None) == is_claim


@pytest.mark.parametrize("items", ["- In May\n- In June", "1. In May", "| May |", "```\nx\n```"])
def test_a_line_with_a_colon_in_front_of_a_list_is_structure(items: str) -> None:
    [line, *_] = split_sentences(f"The ferry takes 40 bicycles:\n\n{items}")
    assert read_claim(line.text, is_heading=line.is_heading) is None


def test_the_claim_is_the_whole_sentence_and_is_scored_by_its_statement() -> None:
    fact = "The ferry takes bicycles on Sundays."
    answer = f"Hello Anna, {ENGLISH}. Thanks for asking, the ferry has 40 cabins."
    claims = check_grounding(check_request(answer, fact)).claims
    cut = [answer.encode()[claim.start_pos : claim.end_pos].decode() for claim in claims]
    assert cut == [f"Hello Anna, {ENGLISH}.", "Thanks for asking, the ferry has 40 cabins."]
    [right, wrong] = [claim.score for claim in claims]
    assert right is not None
    assert wrong is not None
    assert right > 0.8
    assert wrong < 0.5


@pytest.mark.parametrize(
    "filling", [" ", ", ", ", but ", " - ", ": ", "that ", "right? ", "\u00bf"]
)
def test_a_long_sentence_takes_linear_time(filling: str) -> None:
    read_claim(f"Hello Anna, the documents do not mention {filling * 20_000} it.")
