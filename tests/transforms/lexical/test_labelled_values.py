"""Labelled values: the number that a list has for another thing than a claim names."""

import pytest

from tests.support.checks import contradictions_of

SEATS = "The Starter plan includes 3 seats, the Team plan includes 10 seats and Scale 50 seats."
LIMITS = (
    "The Developer tier is limited to 60 requests per minute. The Growth tier is limited to 600 and"
    " the Enterprise tier to 3,000 requests per minute."
)
MOBILE = "Mobile S has 4 GB of data per month, Mobile M has 15 GB and Mobile L has 40 GB."
FEES = (
    "| Tier | Fee | Transfers |\n| Standard | $0 | 2 |\n| Silver | $6 | 10 |\n| Gold | $14 | 30 |"
)
COVER = "Tarif Basis: Deckung bis 5.000 Euro. Tarif Komfort: Deckung bis 20.000 Euro."
USERS = "The Basic plan allows up to 3 users. The Pro plan allows up to 5 users."
GUESTS = (
    "In June 40% of those at the Harbour were guests, 36% members and 22% children. In May,"
    " guests were at 38%, members at 34% and children at 23%."
)
STORY = (
    "His sister was worried what another three years of Harbour talks would mean to a father"
    " whom so many had asked to stay although the board knew that he would go home when the"
    " last of the old ships was sold. He stayed for two years."
)

OF_ANOTHER = [
    ("Deskly's Team plan comes with 50 seats.", SEATS, ("50", "10")),
    ("Growth customers can send 3,000 requests per minute.", LIMITS, ("3,000", "600")),
    ("With Mobile L you have 15 GB of data a month.", MOBILE, ("15 GB", "40 GB")),
    ("The Silver tier costs $14 a month.", FEES, ("$14", "$6")),
    ("Mit Komfort sind Sie bis 5.000 Euro abgesichert.", COVER, ("5.000 Euro", "20.000 Euro")),
    ("You can invite up to 5 users on the Basic plan.", USERS, ("5", "3")),
]


@pytest.mark.parametrize(("claim", "fact", "values"), OF_ANOTHER)
def test_the_value_of_another_thing_contradicts(
    claim: str, fact: str, values: tuple[str, str]
) -> None:
    assert contradictions_of(claim, fact) == [("NUMBER", *values)]


NOT_OF_ANOTHER = {
    "its own": ("Deskly's Team plan comes with 10 seats.", SEATS),
    "its own, in a table": ("The Silver tier costs $6 a month.", FEES),
    "nothing is named": ("You can have 50 seats.", SEATS),
    "a name that no clause has": ("The Solo plan comes with 50 seats.", SEATS),
    "something else is counted": ("The Team plan comes with 50 users.", SEATS),
    "a word of the other clause": (
        "On Sundays the Harbour Shop opens at 10 am.",
        "The Harbour Shop opens at 9 am on weekdays and at 10 am on Sundays.",
    ),
    "a script without spaces": (
        "Dialを2回タップします。",
        "Dialにどんぐりが表示され、1日1回お知らせが届きます。Plugを2回タップします。",
    ),
    "two values": ("Team has 50 seats, and Starter has 10 seats.", SEATS),
    "denied": ("The Team plan does not come with 50 seats.", SEATS),
    "another unit": (
        "Labour spent £1,027 in all.",
        "Labour spent 26p a vote, and the Tories spent £1,027 in all.",
    ),
    "a value confirmed in other words": (
        "About 23% of all who call the Harbour are counted as children.",
        GUESTS,
    ),
    "no list, but a story": (
        "In the Harbour talks he could only stay for two years.",
        STORY,
    ),
    "a number that is a name": (
        "In Quarkus, version 3 triggers the scan.",
        "In Quarkus, version 4 scans every week, and version 3 triggers the scan.",
    ),
}


@pytest.mark.parametrize(("claim", "fact"), NOT_OF_ANOTHER.values(), ids=NOT_OF_ANOTHER)
def test_what_is_not_said_of_another_thing_is_left(claim: str, fact: str) -> None:
    assert contradictions_of(claim, fact) == []
