"""Answers beyond the limits of one check: 4,096 tokens, 200 facts, 10,000 characters a fact."""

from tests.support.samples.articles import Article, Conversation
from tests.support.samples.cases import Case
from tests.support.samples.envelopes import full, plain

_ROOMS = ("attic", "bathroom", "cellar", "den", "entrance hall", "guest room", "kitchen", "library")
_RULES = (
    "The owner of the {room} may set its temperature to at most {n} tenths of a degree above 20.",
    "Complaints about draughts in the {room} are answered by support within {n} working hours.",
    "A Dial that falls from the wall of the {room} is replaced once in {n} months, cats excepted.",
    "Readings taken in the {room} on day {n} of the year are rounded to half a watt-hour.",
    "Guests who sing in the {room} for more than {n} minutes are counted as a source of heat.",
)
_DAYS = 91  # a quarter of half-hour readings: more facts than 20 checks can take


def _terms(clauses: range) -> str:
    """Clauses of the terms of service, which are long because lawyers had a quiet winter."""
    return "\n".join(
        f"Clause {n}: " + _RULES[n % len(_RULES)].format(room=_ROOMS[n % len(_ROOMS)], n=n)
        for n in clauses
    )


def _terms_article(*passages: range) -> Article:
    return Article("terms", "Terms of service", tuple(_terms(clauses) for clauses in passages))


def _readings(days: int) -> Article:
    passages = tuple(
        f"Day {day}, {hour:02d}:{minute:02d}: {(day * 7 + hour * 13 + minute) % 900 + 60} watt."
        for day in range(1, days + 1)
        for hour in range(24)
        for minute in (0, 30)
    )
    return Article("my-readings", "Half-hour readings", passages)


def _reading(article: Article, number: int) -> str:
    return article.passages[number].rstrip(".")


_LONG = _terms(range(1, 231))
_WEEK = _readings(5)
_QUARTER = _readings(_DAYS)

CHECKED = [
    Case(
        Conversation(
            "Read me all the terms of service, please. I have a long train ride.",
            _LONG,
            (_terms_article(range(1, 81), range(81, 161), range(161, 231)),),
        ),
        full,
    ),
    Case(
        Conversation(
            "What did I use on the first and on the fifth night, at two?",
            f"{_reading(_WEEK, 4)}. {_reading(_WEEK, 4 + 4 * 48)}.",
            (_WEEK,),
        ),
        full,
    ),
    Case(
        Conversation(
            "Does singing count as heating?",
            _terms(range(104, 105)).partition(": ")[2],
            (_terms_article(range(1, 121)),),
        ),
        full,
    ),
]
OVER_LIMIT = [
    Case(
        Conversation(
            "How much did I use this quarter, half hour by half hour?",
            f"{_reading(_QUARTER, 40)}. {_reading(_QUARTER, 4_000)}.",
            (_QUARTER,),
        ),
        plain,
    ),
]
