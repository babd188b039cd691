"""Short answers are checked with the question that they answer, in six languages."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.grounding.protocol import CheckReply
from groundwatch.transforms.grounding.stored_reply import decode_reply, encode_reply
from groundwatch.transforms.lexical.check_claims import check_grounding, has_claims
from groundwatch.transforms.lexical.claims.questions import read_question
from groundwatch.transforms.lexical.claims.short_answers import read_short_answer
from tests.support.checks import check_request, verdict_of
from tests.support.texts import said_text

# Question, fact, right answers, wrong answers; "|" is between them.
CASES = [
    (
        "Does the warranty cover batteries?",
        "The warranty does not cover batteries.",
        "No, it doesn't.|No.|Unfortunately not.|No, it does not cover batteries.|Not at all.",
        "Yes, it does.|Yes.|Absolutely!|Yes, it covers batteries.|It does.",
    ),
    (
        "Hi, I bought a lamp last week. Can I return opened items?",
        "Opened items can be returned within 14 days.",
        "Yes, you can.|Yes, of course!|You can.|Yes, that's possible.",
        "No, you can't.|No, that's not possible.|You cannot.|I'm afraid not.|Nope.",
    ),
    (
        "Could you tell me whether the Basic plan includes phone support?",
        "The Basic plan does not include phone support.",
        "No, it doesn't.|No.",
        "Yes, it does.|Yes.",
    ),
    (
        "How long is the warranty?",
        "The warranty is three years. Spare parts are available for two years.",
        "Three years.|3 years|**Three years.**|It's three years.",
        "Two years.|5 years|It's two years.",
    ),
    (
        "On which days is the shop open?",
        "The shop is open on Mondays. Deliveries arrive on Fridays.",
        "On Mondays.|Only on Mondays.",
        "On Sundays.|Only on Tuesdays.",
    ),
    (
        "The gym is open on public holidays, isn't it?",
        "On public holidays the gym is open from 9 am to 2 pm.",
        "Yes, it is.",
        "No, it isn't.",
    ),
    (
        "Can guest users export reports?",
        "Members can export reports. Guest users have access and cannot export reports.",
        "No, they can't.|No.",
        "Yes, they can.|Absolutely.",
    ),
    (
        "can the certificate be requested by email",
        "The certificate can only be requested at the counter.",
        "No.",
        "By fax, within 3 days.",
    ),
    (
        "I'm a member, how many devices can I register?",
        "Members can register ten devices. Members can stream on four devices.",
        "Ten.|10 devices",
        "Eleven.|12 devices",
    ),
    # Whole statements, which answer nothing that was asked.
    (
        "When do you close?",
        "The kitchen closes at 12:00. Happy hour starts at 15:15.",
        "Happy hour starts at 15:15.|Happy hour starts at 3:15 p.m.",
        "Happy hour starts at 12:15.",
    ),
    (
        "Was gilt?",
        "Das Konto erfordert keine Anmeldung.",
        "Das Konto erfordert keine Anmeldung.",
        "Das Konto erfordert eine Anmeldung.",
    ),
    (
        "Deckt die Garantie Batterien ab?",
        "Die Garantie deckt keine Batterien ab.",
        "Nein.|Nein, das tut sie nicht.|Leider nein.|Nein, leider nicht.",
        "Ja.|Ja, das tut sie.|Ja, natürlich.|Genau.",
    ),
    (
        "Kann ich geöffnete Artikel zurückgeben?",
        "Geöffnete Artikel können zurückgegeben werden.",
        "Ja.|Ja, das ist möglich.|Ja, das können Sie.",
        "Nein.|Nein, das geht leider nicht.|Das ist nicht möglich.",
    ),
    (
        "Wie lange gilt die Garantie?",
        "Die Garantie gilt drei Jahre. Ersatzteile gibt es zwei Jahre lang.",
        "Drei Jahre.|3 Jahre|Drei Jahre lang.",
        "Zwei Jahre.|Fünf Jahre.",
    ),
    (
        "Est-ce que la garantie couvre les piles ?",
        "La garantie ne couvre pas les piles.",
        "Non.|Non, elle ne les couvre pas.|Malheureusement non.",
        "Oui.|Oui, bien sûr.|Oui, tout à fait.",
    ),
    (
        "Puis-je retourner un colis ouvert ?",
        "Un colis ouvert peut être retourné sous 14 jours.",
        "Oui.|Oui, c'est possible.",
        "Non.|Non, ce n'est pas possible.",
    ),
    (
        "Combien de temps dure la garantie ?",
        "La garantie dure trois ans. Les pièces sont disponibles deux ans.",
        "Trois ans.|3 ans",
        "Deux ans.|Cinq ans.",
    ),
    (
        "Combien de temps ai-je pour retourner un colis ?",
        (
            "Vous avez 45 jours après réception pour retourner un colis. L'argent est rendu sous 10"
            " jours après réception de votre retour."
        ),
        "45 jours après réception.",
        "30 jours.",
    ),
    (
        "¿Hay que pedir cita para la revisión de la vista?",
        "Para la revisión de la vista hay que pedir cita.",
        "Sí.|Sí, hay que pedirla.",
        "No.|No, no hace falta.",
    ),
    (
        "¿La garantía cubre las baterías?",
        "La garantía no cubre las baterías.",
        "No.|No, no las cubre.|Lamentablemente no.",
        "Sí.|Sí, por supuesto.|Sí, las cubre.|Claro que sí.",
    ),
    (
        "¿Cuánto dura la garantía?",
        "La garantía dura tres años. Las piezas se venden dos años.",
        "Tres años.|3 años",
        "Dos años.|Cinco años.",
    ),
    (
        "La garanzia copre le batterie?",
        "La garanzia non copre le batterie.",
        "No.|No, non le copre.|Purtroppo no.",
        "Sì.|Sì, certo.|Sì, le copre.",
    ),
    (
        "Quanto dura la garanzia?",
        "La garanzia dura tre anni. I ricambi si trovano per due anni.",
        "Tre anni.|3 anni",
        "Due anni.|Cinque anni.",
    ),
    (
        "A garantia cobre as baterias?",
        "A garantia não cobre as baterias.",
        "Não.|Não, não cobre.|Infelizmente não.",
        "Sim.|Sim, claro.|Sim, cobre.|Com certeza.",
    ),
    (
        "É preciso ser sócio para reservar um campo de padel?",
        "Não é preciso ser sócio para reservar um campo de padel.",
        "Não.|Não, não é preciso.",
        "Sim.|Sim, é preciso.",
    ),
    (
        "Quanto tempo dura a garantia?",
        "A garantia dura três anos. As peças são vendidas por dois anos.",
        "Três anos.|3 anos",
        "Dois anos.|Cinco anos.",
    ),
]


def each_answer() -> Iterator[tuple[str, str, str, Verdict]]:
    for question, fact, right, wrong in CASES:
        for answer in right.split("|"):
            yield question, fact, answer, Verdict.GROUNDED
        for answer in wrong.split("|"):
            yield question, fact, answer, Verdict.LOW_GROUNDED


def asked(answer: str, query: str, *facts: str) -> CheckRequest:
    return replace(check_request(answer, *facts), query=query)


@pytest.mark.parametrize(("question", "fact", "answer", "verdict"), list(each_answer()))
def test_a_short_answer_is_checked_with_its_question(
    question: str, fact: str, answer: str, verdict: Verdict
) -> None:
    assert verdict_of(check_grounding(asked(answer, question, fact))) is verdict


@pytest.mark.parametrize(
    "fact", ["The warranty covers batteries.", "The warranty does not cover batteries."]
)
@pytest.mark.parametrize("rest", ["The shop is in Rome.", "Is there anything else?"])
def test_a_short_answer_in_front_of_other_sentences_is_checked(fact: str, rest: str) -> None:
    request = asked(f"Hello! Yes, it does. {rest}", "Does the warranty cover batteries?", fact)
    claim = check_grounding(request).claims[1]
    assert claim.claim_text == "Yes, it does."
    assert claim.score is not None
    assert (claim.score > 0.6) is ("not" not in fact)


def test_a_mismatch_quotes_the_answer_also_from_a_stored_reply() -> None:
    request = asked("No, you can't.", "Can I return opened items?", "Opened items can be returned.")
    response = check_grounding(request)
    [mismatch] = response.claims[0].mismatches or ()
    assert (mismatch.claim_value, mismatch.fact_value) == ("No, you can't.", "returned")
    stored = encode_reply(CheckReply(response=response, attempts=1))
    assert decode_reply(stored, request).response == response


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Can you help me with my order?", "Sure!"),
        ("Could you check my order, please?", "Of course!"),
        ("Can you tell me how I return the lamp?", "Certainly!"),
        ("Can I return it? Is that free?", "Yes."),
        ("Does the warranty not cover batteries?", "No."),
        ("Does the warranty cover batteries?", "No problem!"),
        ("Does the warranty cover batteries?", "I don't know."),
        ("Does the warranty cover batteries?", "I can't say."),
        ("Does the warranty cover batteries?", "The documents do not say."),
        ("Does the warranty cover batteries?", "Great question!"),
        ("Does the warranty cover batteries?", "Does it?"),
        ("When does it end?", "Yes."),
        ("Können Sie mir bitte helfen?", "Ja, gerne!"),
        ("Pouvez-vous m'aider avec la lampe ?", "Oui, bien sûr !"),
        ("¿Me puede ayudar con la lámpara?", "¡Claro que sí!"),
        ("Mi può aiutare con la lampada?", "Certo!"),
        ("Pode me ajudar com a lâmpada?", "Claro!"),
    ],
)
def test_what_is_no_short_answer_to_a_question_is_no_claim(query: str, answer: str) -> None:
    response = check_grounding(asked(answer, query, "The lamp has a warranty of two years."))
    assert response.support_score is None


@pytest.mark.parametrize(
    ("query", "statement"),
    [
        ("Does the warranty cover batteries?", "Does the warranty cover batteries"),
        ("Hi! I bought a lamp. Is it covered? Thanks", "Is it covered"),
        ("can i return opened items", "can i return opened items"),
        ("I'd like to know if you ship to Norway", "you ship to Norway"),
        ("How long is the warranty?", "is the warranty"),
        ("Combien de temps dure la garantie ?", "dure la garantie"),
        ("the lamp is broken", "the lamp is broken"),
        ("Can I return it? Is that free?", None),
        ("Does the warranty not cover batteries?", None),
        ("Can you help me?", None),
        ("?", None),
        ("", None),
    ],
)
def test_a_question_is_read_as_a_statement(query: str, statement: str | None) -> None:
    question = read_question(query)
    assert (question and question.statement) == statement


def test_without_a_query_a_reply_without_claims_is_valid() -> None:
    # Another checker may not read the question.
    assert not has_claims(asked("Yes, it does.", "Does the lamp glow?", "Lamps glow."))


_SPOKEN = (
    "Does is warranty cover un an 12 mois dos due no yes not never ja nein 3 can you return it"
    " when how long que si , . ? - 5 £ only free without you said"
)
_WORDS = st.lists(st.sampled_from(_SPOKEN.split()), min_size=1, max_size=8).map(" ".join)


@given(query=_WORDS | said_text, answer=_WORDS | said_text, fact=_WORDS | said_text)
def test_any_question_and_answer_can_be_checked(query: str, answer: str, fact: str) -> None:
    question = read_question(query)
    if question and (short := read_short_answer(answer, question)):
        assert question.statement in short.statement
    response = check_grounding(asked(answer, query, fact))
    assert [claim.claim_text for claim in response.claims] == [
        claim.claim_text for claim in check_grounding(check_request(answer, fact)).claims
    ]
