"""Statements beside greetings, announcements, refusals and in questions: none goes unchecked."""

# ruff: noqa: RUF001 - phrases of several languages

import time

import pytest

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.claims.read_claim import read_claim
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
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
        thank you for reaching out. X.
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
    claim = read_claim(heading.text, heading.role)
    assert (claim is not None) == is_claim


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
    started_s = time.process_time()
    read_claim(f"Hello Anna, the documents do not mention {filling * 2_000} it.")
    assert time.process_time() - started_s < 1


FACTS = (
    "The ferry pass covers bicycles and dogs.",
    "Der Fährpass deckt Fahrräder und Hunde ab.",
    "Le billet du bac couvre les vélos et les chiens.",
    "El billete del barco cubre bicicletas y perros.",
)
DENIED = "the ferry pass does not cover bicycles and dogs."
LEADS = [
    *(
        f"{lead} {DENIED}"
        for lead in (
            *("I'm sorry, but", "I am very sorry but", "Sorry,", "I'm afraid", "I'm afraid that"),
            *("We regret to inform you that", "I'm sorry to say that", "Unfortunately"),
            *("Based on the document,", "According to our terms,", "As stated in the policy,"),
            *("From what I can see,", "Per our guidelines,", "Based on the information provided,"),
        )
    ),
    "Es tut mir leid, aber der Fährpass deckt Fahrräder und Hunde nicht ab.",
    "Leider deckt der Fährpass Fahrräder und Hunde nicht ab.",
    "Je suis désolée, mais le billet du bac ne couvre pas les vélos et les chiens.",
    "Malheureusement le billet du bac ne couvre pas les vélos et les chiens.",
    "Lo siento, pero el billete del barco no cubre bicicletas y perros.",
    "Lamentablemente el billete del barco no cubre bicicletas y perros.",
]


@pytest.mark.parametrize("answer", LEADS)
def test_a_contradiction_is_found_behind_a_lead(answer: str) -> None:
    [claim] = check_grounding(check_request(answer, *FACTS)).claims
    assert [mismatch.kind for mismatch in claim.mismatches] == ["NEGATION"]


@pytest.mark.parametrize(
    ("sentence", "is_refusal"),
    [
        ("The document does not cover bicycles on the ferry.", True),
        ("The passages provided do not contain bicycle prices.", True),
        ("Bicycle prices are not included in the passages.", True),
        ("It is not possible to say from the text which ferry is cheaper.", True),
        ("Based on the passages, I cannot determine the bicycle price.", True),
        ("The article mentions ferries but it does not provide specific details.", True),
        ("We do not offer refunds for printed documents.", False),
        ("Text messages are not included in the ferry pass.", False),
        ("The source of the river is difficult to reach by ferry.", False),
        ("Based on the text, the ferry pass does not include bicycles.", False),
    ],
)
def test_a_refusal_denies_that_the_source_says_something(
    sentence: str, *, is_refusal: bool
) -> None:
    claim = read_claim(sentence)
    assert (claim is None) == is_refusal
