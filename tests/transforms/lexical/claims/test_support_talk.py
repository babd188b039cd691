"""What people write to a support chat: courtesy, marks, equal forms, denials, changed values."""

# ruff: noqa: RUF001 - phrases of several languages

import pytest

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.checks import check_request, verdict_of

FACT = (
    "The annual plan costs 99 dollars. Refunds are paid within 14 days. The office opens at 9 am."
)
CLAIM = "Refunds are paid within 14 days."
COURTESY = """
Great question!
Happy to clarify that for you.
I totally get how annoying that is.
No problem at all!
Thanks for your patience!
Let me walk you through it.
Here's a quick summary:
Quick answer:
In a nutshell:
Good news!
Hope that clears things up!
Feel free to reach out anytime.
Is there anything else you'd like to know?
Have a wonderful weekend!
Sorry for the trouble.
You're all set!
Glad I could help!
Sure thing, happy to help with that.
Hi Maria,
Best regards,
The Support Team
Let me check that for you.
As an AI assistant, I can't give legal advice.
## Refund policy
**Short answer:**
Step 2:
Short version:
I'll forward your request to our team.
Please provide your order number.
Should you have any questions, please get in touch.
If this doesn't help, contact support.
This is not legal advice.
Your satisfaction is important to us.
The Acme Team
Cheers, Max
Give us a call!
Yes.
I see.
I'd be happy to help.
Here's how it works:
Thanks for contacting us.
We appreciate your feedback.
We apologize for the inconvenience.
Sorry about that!
I understand your frustration.
I completely understand how frustrating this is.
I wasn't able to find an answer.
I don't have access to your account.
I don't know.
I can't help with that.
Please consult a professional.
Please hold on while I connect you with a specialist.
I will connect you with a colleague.
One moment, please.
For more details, please visit our website.
If you have any other questions, just ask.
Have a great day!
Have a lovely rest of your day!
Dear customer,
Hello, this is the Acme assistant.
Note:
Step 1
Summary
Gute Frage!
Leider habe ich dazu keine Informationen gefunden.
Mit freundlichen Grüßen
Ich helfe Ihnen gerne weiter.
Merci de votre patience.
Je ne sais pas.
Bonne journée !
Lo siento, no encuentro información sobre eso.
Gracias por su paciencia.
¡Que tenga un buen día!
Non lo so.
Obrigado pelo seu contato.
Não sei.
Bedankt voor uw bericht.
Ik weet het niet.
申し訳ございません。
わかりません。
感谢您的耐心等待。
我不知道。
Having said that,
You can find more details in our FAQ.
Guten Tag!
Vielen Dank für Ihre Anfrage.
Haben Sie noch weitere Fragen?
Zusammenfassung:
Weitere Informationen finden Sie auf unserer Website.
Liebe Frau Weber,
Bonjour !
À bientôt !
N'hésitez pas à nous contacter.
Bien cordialement,
Voici les détails :
¡Hola!
¡Hasta pronto!
Espero que esto le ayude.
Con mucho gusto.
Aquí tiene un resumen:
Olá!
Agradecemos a sua paciência.
Espero ter ajudado!
Tenha um ótimo dia!
Claro, vou explicar:
Grazie per averci contattato.
Buona giornata!
Può trovare maggiori informazioni sul nostro sito.
Ecco un riepilogo:
Hallo!
Beste Anna,
Ik hoop dat dit helpt.
Met vriendelijke groet,
こんにちは。
詳しくはウェブサイトをご覧ください。
ご不明な点がございましたら、お気軽にお問い合わせください。
よろしくお願いいたします。
感谢您的咨询。
如有疑问，请联系我们。
如有其他问题，请随时联系我们。
""".strip().split("\n")
REFUSALS = """
I don't have that information.
I couldn't find anything about that in our help center.
I can't find an answer to your question.
That's outside of what I can help with.
Sorry, I can't help with that request.
Please contact our support team.
Es tut mir leid, dazu habe ich keine Informationen.
No encontré información sobre eso.
Non ho trovato queste informazioni.
Er is geen informatie beschikbaar in de bronnen over de garantie.
De bronnen bevatten geen informatie over de prijs of de garantie.
Die Quellen enthalten keine Informationen zu Internet of Things.
申し訳ございませんが、その情報は見つかりませんでした。
Could you tell me your order number?
I'm just a bot and can't do that.
""".strip().split("\n")
EQUAL = """
Refunds take two weeks. | Refunds take 14 days.
There are two dozen eggs. | There are 24 eggs.
Open Mon-Fri. | Open Monday to Friday.
The trial lasts a fortnight. | The trial lasts two weeks.
It was built in the 19th century. | It was built in the nineteenth century.
World War 2 ended in 1945. | World War II ended in 1945.
It lasts 24 hours. | It lasts one day.
It was founded on 2019-05-03. | It was founded on May 3rd, 2019.
The shop closes at noon. | The shop closes at 12 pm.
The battery lasts ten hours. | The battery lasts 10 hours.
Call 555-123-4567 for help. | Call (555) 123-4567 for help.
Le prix est de 3,50 €. | Le prix est de 3.50 euros.
Die Garantie gilt zwei Jahre. | Die Garantie gilt 2 Jahre.
保証期間は１年です。 | 保証期間は1年です。
The Café Zoë opens daily. | The Cafe Zoe opens daily.
You save 1/4 of the price. | You save 25% of the price.
The room is 21 °C warm. | The room is 21 degrees Celsius warm.
Elizabeth II was queen. | Elizabeth the Second was queen.
""".strip().split("\n")
DENIALS = """
The tablet is safe for children. | The tablet is not safe for children.
Pets are allowed in the rooms. | Pets are not allowed in the rooms.
Gift cards don't expire. | Gift cards expire.
Breakfast is included in the price. | Breakfast isn't included in the price.
No deposit is required. | A deposit is required.
Parking is free for guests. | Parking is not free for guests.
Der Akku ist austauschbar. | Der Akku ist nicht austauschbar.
Les animaux sont admis. | Les animaux ne sont pas admis.
A garantia não cobre danos. | A garantia cobre danos.
De batterij is vervangbaar. | De batterij is niet vervangbaar.
电池可以更换。 | 电池不可以更换。
Shipping is not available to Canada. | Shipping is available to Canada.
You must not freeze the cake. | You must freeze the cake.
Sale items can be returned. | Sale items can't be returned.
The update was successful. | The update was not successful.
The cable is included. | The cable is not included.
The seat is refundable. | The seat is non-refundable.
""".strip().split("\n")
CHANGED_VALUES = """
The Basic plan costs $19 a month. | The Basic plan costs $5 a month.
Returns are accepted within 60 days. | Returns are accepted within 30 days.
The museum was founded in 1950. | The museum was founded in 1905.
The warranty lasts two years. | The warranty lasts three years.
The fee is 5%. | The fee is 15%.
The deadline is 5 May 2025. | The deadline is 5 March 2025.
Call 555-123-4567 for help. | Call 555-123-4568 for help.
Le musée a été fondé en 1950. | Le musée a été fondé en 1905.
O plano custa 30 reais. | O plano custa 20 reais.
De winkel opent om 8 uur. | De winkel opent om 9 uur.
保修期为三年。 | 保修期为两年。
The event is on Tuesday. | The event is on Thursday.
Up to 8 guests can stay. | Up to 6 guests can stay.
The office is on the third floor. | The office is on the second floor.
The battery lasts 12 hours. | The battery lasts 10 hours.
The refund takes 5 to 10 business days. | The refund takes 3 to 5 business days.
""".strip().split("\n")


STATEMENTS = """
Support is free.
Please send the device to our depot in Berlin.
Call us at 555-1234.
Contact support within ten days.
If it does not start, press the red button.
You will receive a refund.
You can see the details on your invoice.
More information is on page 5.
We recommend checking the oil every month.
I believe the shop opens at nine.
Your feedback is anonymous.
Next, choose your language.
Dear guests may enter.
This text was written by Goethe.
Helaas kan het pakket niet worden geleverd.
Cherchez le bouton rouge.
Bei weiteren Schäden zahlt die Versicherung nicht.
如有问题，可在30天内退货。
""".strip().split("\n")


def checked(answer: str, fact: str = FACT) -> CheckResponse:
    return check_grounding(check_request(answer, fact))


def is_low(response: CheckResponse) -> bool:
    """Return whether an answer is LOW_GROUNDED."""
    return verdict_of(response) == "LOW_GROUNDED"


def kinds(response: CheckResponse) -> set[ContradictionKind]:
    return {found.kind for claim in response.claims for found in claim.mismatches or ()}


@pytest.mark.parametrize("phrase", [*COURTESY, *REFUSALS])
def test_courtesy_and_refusals_are_no_claims(phrase: str) -> None:
    assert checked(phrase).support_score is None
    for answer in (f"{phrase}\n{CLAIM}", f"{CLAIM}\n{phrase}", f"{phrase} {CLAIM}"):
        response = checked(answer)
        assert not is_low(response)
        assert not kinds(response)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_resembles_courtesy_may_be_a_claim(statement: str) -> None:
    assert checked(statement).support_score is not None


@pytest.mark.parametrize("pair", EQUAL)
def test_equal_forms_are_equal_in_both_directions(pair: str) -> None:
    one, two = pair.split(" | ")
    for response in (checked(one, two), checked(two, one)):
        assert not is_low(response)
        assert not kinds(response)


def test_a_value_may_be_nothing_but_function_words_in_the_facts() -> None:
    assert checked("12 mois.", "La carte est valable un an.").support_score is not None


@pytest.mark.parametrize("pair", DENIALS)
def test_a_denial_is_low_in_both_directions(pair: str) -> None:
    one, two = pair.split(" | ")
    for response in (checked(one, two), checked(two, one)):
        assert is_low(response)
        assert kinds(response) == {ContradictionKind.NEGATION}


@pytest.mark.parametrize("pair", CHANGED_VALUES)
def test_a_changed_value_is_low_among_other_sentences(pair: str) -> None:
    claim, fact = pair.split(" | ")
    for response in (checked(claim, fact), checked(claim, f"Thanks for your visit. {fact}")):
        assert is_low(response)
        assert kinds(response) & {*ContradictionKind} - {ContradictionKind.NEGATION}


def test_the_two_scores_of_one_claim_are_on_the_same_side_of_their_thresholds() -> None:
    thresholds = Thresholds()
    for claim in ("The plan costs 99 dollars.", "Refunds take long.", "Cats sleep.", CLAIM):
        response = checked(claim)
        assert response.support_score is not None
        [score] = [each.score for each in response.claims]
        assert score is not None
        is_low_by_support = response.support_score < thresholds.low_grounded
        assert is_low_by_support is (score < thresholds.claim)
