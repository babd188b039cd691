"""Denials: one of two statements says that something is possible, required, or so of all."""

import re

import pytest

from tests.support.checks import contradictions_of

DENIED = """
The device *needs* a C wire. | The device does *not need* a C wire and runs on batteries.
The device does *not need* a C wire. | The device *needs* a C wire. It is mounted on the wall.
You must *pay* a deposit. | You do *not have to pay* a deposit for this room.
You *don't have to pay* a deposit. | You must *pay* a deposit of 20 euros.
You need a *receipt* to return items. | *No receipt* is needed to return items.
A receipt is *optional* when you return items. | A receipt is *required* when you return items.
You *cannot return* opened items. | Opened items can be *returned* within 14 days.
Pets are *allowed* in the rooms. | Pets are *not permitted* in the rooms.
We *don't offer* refunds. | Refunds are *possible* within 30 days.
Export is *no longer available*. | Export is *available* on all plans.
Export is *available* on all plans. | Export is *no longer available* on any plan.
Two-factor login is *disabled* by default. | Two-factor login is *enabled* by default.
Für die Rückgabe *brauchen* Sie einen Beleg. | Ein Beleg ist für die Rückgabe *nicht nötig*.
Les chiens sont *acceptés* dans la chambre. | Les chiens ne sont *pas autorisés* dans la chambre.
*No es obligatorio* pagar un depósito. | Es *necesario* pagar un depósito.
Vouchers are *transferable*. | Vouchers expire after twelve months and are *not transferable*.
Vouchers are *not transferable*. | Vouchers do not expire and are *transferable*.
Parcels can be *changed*. | Parcels leave at noon and can *no longer be changed*.
Wood can be *put* in. | Cast iron, wood and hand-painted china must *not be put* in.
Washed items can be *exchanged*. | Worn, washed or altered items *cannot be exchanged*.
You can *bring* dogs to the park. | You *cannot bring* glass, drones or dogs to the park.
The app runs on *Linux*. | The app runs on Windows and macOS but *not on Linux*.
Orders are *not tracked*. | Orders are shipped, insured and *tracked*.
Vouchers may be *resold*. | Vouchers must *not be resold*, combined or altered.
Members *cannot listen* offline. | Members of Nettle Radio can skip songs and *listen* offline.
The warranty *covers* the hub. | The warranty covers the rim but does *not cover* the hub.
Deposits are *refundable*. | Deposits are *neither refundable* nor transferable.
Bonds are *transferable*, but not liable. | Bonds are *neither transferable* nor liable.
Gift cards are *transferable*. | Gift cards of Saltmarsh Tea are *not transferable*.
Les vélos sont *acceptés* à bord. | Les vélos ne sont *plus acceptés* à bord.
Les billets sont *échangeables*. | Les billets ne sont *ni échangeables* ni remboursables.
Se *permite* fumar en la sala. | *No se permite* fumar ni comer en la sala.
Gutscheine sind *übertragbar*. | Gutscheine sind *weder übertragbar* noch auszahlbar.
Gutscheine sind *übertragbar*. | Gutscheine verfallen im Mai und sind *nicht übertragbar*.
Los bonos *son* transferibles. | Los bonos caducan a los doce meses y *no son* transferibles.
Les bons sont *cessibles*. | Les bons expirent après douze mois et ne sont *pas cessibles*.
Vouchers are *transferable*, and we gladly help with that. | Vouchers are *not transferable*.
Vouchers expire in May, but vouchers are *transferable*. | Vouchers are *not transferable*.
Cups last, and cups are *washable*. | Cups are *not washable*. Teacups are washable.
""".strip().splitlines()
"""A claim and a fact, each with stars around what is quoted."""


@pytest.mark.parametrize("pair", DENIED)
def test_a_denial_quotes_what_both_say(pair: str) -> None:
    quoted = re.findall(r"\*(.+?)\*", pair)
    claim, fact = pair.replace("*", "").split(" | ")
    assert contradictions_of(claim, fact) == [("NEGATION", *quoted)]


AGREEING = {
    "not required, but possible": (
        "You can add a phone number to the account.",
        "You do not have to add a phone number to the account.",
    ),
    "possible, but not required": (
        "A phone number for the account is not required.",
        "A phone number for the account is possible.",
    ),
    "optional, and possible": (
        "A phone number for the account is optional.",
        "A phone number for the account is allowed.",
    ),
    "the same in other words": (
        "Opened items cannot be returned.",
        "It is not possible to return opened items.",
    ),
    "forbidden in other words": (
        "Pets are not allowed in the rooms.",
        "Pets are prohibited in the rooms.",
    ),
    "rejected, and not supported": (
        "The import tool does not support protected workbooks.",
        "Protected workbooks are rejected by the import tool.",
    ),
    "what the negation is about differs": (
        "The app supports editing in offline mode.",
        "The app does not support video calls when editing in offline mode.",
    ),
    "what is possible differs": (
        "You cannot schedule a change to the plan before the date.",
        "You can remove a scheduled change to the plan by using the date.",
    ),
    "another negation further on": (
        "Do not use it for electric heaters or kettles.",
        "Do not use it for electric heaters, kettles or anything that must never be switched off.",
    ),
    "a heading": ("Tobacco and alcohol are not allowed.", "Alcohol and tobacco: see page 4."),
    "of some only": (
        "The Basic plan does not include the export of files.",
        "Only the Pro plan includes the export of files.",
    ),
    "of all and of none": (
        "Not all plans include the export of files.",
        "The Pro plan includes the export of files.",
    ),
    "for guests who are disabled": (
        "There are rooms for guests on the ground floor.",
        "There are rooms for disabled guests on the ground floor.",
    ),
    "of another subject that is joined": (
        "Refunds are free.",
        "Refunds are paid in credit and returns are not free.",
    ),
    "of a joined subject with another quality": (
        "Items can be exchanged.",
        "Items that were worn, washed or altered cannot be exchanged.",
    ),
    "of another of two that a verb joins": (
        "The warranty covers the motor.",
        "The warranty does not cover the battery, but covers the frame and the motor.",
    ),
    "clauses with a condition": (
        "Vouchers are transferable, but only if they were a gift.",
        "Vouchers are not transferable. Vouchers that were a gift are.",
    ),
    "negations of the same in one of two clauses": (
        "She is no longer in a coma but does not respond to visitors.",
        "Though the girl is no longer in a coma, she does not respond to visitors.",
    ),
    "something else that is possible of the same": (
        "It is permitted in pregnancy.",
        "May be used in pregnancy, on holiday, at work and in bed.",
    ),
    "another name": (
        "There are also non-Arab Christians in the town.",
        "There are also Arab Christians in the town.",
    ),
}


@pytest.mark.parametrize(("claim", "fact"), AGREEING.values(), ids=AGREEING)
def test_what_is_no_denial_is_left(claim: str, fact: str) -> None:
    assert contradictions_of(claim, fact) == []


JOINED = """
Orders are not tracked. | Orders are shipped, insured and tracked.
Vouchers may be resold. | Vouchers must not be combined, resold or altered.
Deposits are transferable. | Deposits are neither refundable nor transferable.
Tea samples are refundable. | Neither tea samples nor sale items are refundable.
Sale items are refundable. | Neither tea samples nor sale items are refundable.
Der Gutschein darf geteilt werden. | Der Gutschein darf nicht kopiert, geteilt oder verkauft werden.
Les billets sont remboursables. | Les billets ne sont ni échangeables ni remboursables.
Los perros son bienvenidos. | Ni los gatos ni los perros son bienvenidos.
We do not accept Visa. | We accept Visa, Mastercard, PayPal and invoice by Klarna.
No, PayPal is not accepted. | We accept Visa, Mastercard, PayPal and invoice by Klarna.
""".strip().splitlines()
"""A claim and a fact that denies it in one part of several."""


@pytest.mark.parametrize("pair", JOINED)
def test_a_part_of_several_may_deny(pair: str) -> None:
    [(kind, *_)] = contradictions_of(*pair.split(" | "))
    assert kind == "NEGATION"


SAME = """
Deposits are not refundable. | Deposits are neither refundable nor transferable.
Deposits are not refundable and not paid. | Deposits are neither refundable nor paid.
Tea samples and sale items are not refundable. | Neither tea samples nor sale items are refundable.
Les vélos ne sont pas acceptés à bord. | Les vélos ne sont plus acceptés à bord.
Les billets ne sont pas remboursables. | Les billets ne sont ni échangeables ni remboursables.
Les chiens ne sont pas admis. | Les chiens ne sont pas admis non plus.
Gutscheine sind nicht übertragbar. | Gutscheine sind weder auszahlbar noch übertragbar.
No more than 4 guests may stay in the cottage. | Up to 4 guests may stay in the cottage.
The rent is not more than 900 euros a month. | The rent is up to 900 euros a month.
Die Miete beträgt nicht mehr als 900 Euro. | Die Miete beträgt höchstens 900 Euro.
No, I cannot refund that deposit. | I cannot refund that deposit.
No I'm not the owner of that shop. | I'm not the owner of that shop.
The bank does not cover the box, and neither does the state. | The bank does not cover the box.
Film stock is sold at cost. | Film stock isn't lent, but sold at cost.
The cell functions in lipid manufacture. | The cell lacks walls and functions in lipid manufacture.
""".strip().splitlines()
"""A claim and a fact that says the same with another number of negations."""


@pytest.mark.parametrize("pair", SAME)
def test_the_same_with_other_negations_is_no_denial(pair: str) -> None:
    assert contradictions_of(*pair.split(" | ")) == []


SUBJECTS = ["Guests of the hotel", "The blue wire of the pump", "A second account"]
STATED = {
    "{} can be used here": "{} cannot be used here",
    "{} is needed for that": "{} is not needed for that",
    "{} may be changed": "{} may not be changed",
    "{} is included": "{} is excluded",
    "{} must be paid": "{} does not have to be paid",
    "{} works in the cellar": "{} no longer works in the cellar",
}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(("stated", "denied"), STATED.items())
def test_a_statement_denies_its_denial_and_not_itself(
    stated: str, denied: str, subject: str
) -> None:
    one, other = stated.format(subject) + ".", denied.format(subject) + "."
    beside = "The pool opens at nine."
    for claim, contrary in ((one, other), (other, one)):
        assert contradictions_of(claim, f"{beside} {claim}") == []
        assert contradictions_of(claim, f"{claim} {beside}") == []
        [(kind, *_)] = contradictions_of(claim, f"{beside} {contrary}")
        assert kind == "NEGATION"
