"""Query, engine, session, time, reasons and ratings of Discovery Engine's answers."""

import pytest

from groundwatch.schemas.answer import SafetyRating
from tests.support.answer_messages import ANSWER_NAME, message_of, parse_answer, parsed

BLOCKED = {"answerText": "a"}
STEPS = [{"actions": [{"searchAction": {}}, {"searchAction": {"query": "rephrased"}}]}]
TURNS = [
    {"query": {"text": "mine"}, "answer": ANSWER_NAME},
    {"query": {"text": "another's"}, "answer": ANSWER_NAME + "2"},
]

QUERIES = {
    "wrapper": ({"query": "asked", "answer": BLOCKED}, "asked"),
    "wrapper's text": ({"query": {"text": "asked"}, "answer": BLOCKED}, "asked"),
    "wrapper of a wrong type": ({"query": 5, "answer": BLOCKED}, None),
    "own turn": ({"answer": {"name": ANSWER_NAME}, "session": {"turns": TURNS}}, "mine"),
    "last turn of a nameless answer": (
        {"answer": BLOCKED, "session": {"turns": TURNS}},
        "another's",
    ),
    "turn without a name": (
        {"answer": {"name": ANSWER_NAME}, "session": {"turns": [{"query": {"text": "q"}}]}},
        "q",
    ),
    "another's turns": (
        {"answer": {"name": ANSWER_NAME + "9", "steps": STEPS}, "session": {"turns": TURNS}},
        "rephrased",
    ),
    "session before steps": (
        {"answer": BLOCKED | {"steps": STEPS}, "session": {"turns": TURNS[:1]}},
        "mine",
    ),
    "steps": (BLOCKED | {"steps": STEPS}, "rephrased"),
    "nowhere": (BLOCKED, None),
}


@pytest.mark.parametrize(("value", "query"), QUERIES.values(), ids=QUERIES)
def test_the_query_is_the_users_if_it_is_known(value: object, query: str | None) -> None:
    assert parsed(value).query == query


PLACES = {
    "engine": (
        "projects/1/locations/eu/collections/c/engines/shop/sessions/s1/answers/a",
        "shop",
        "s1",
    ),
    "data store": ("projects/1/locations/eu/dataStores/faq/sessions/s2/answers/a", "faq", "s2"),
    "neither": ("projects/1/answers/a", None, None),
}


@pytest.mark.parametrize(("name", "engine", "session"), PLACES.values(), ids=PLACES)
def test_engine_and_session_are_bare_ids_from_the_name(
    name: str, engine: str | None, session: str | None
) -> None:
    answer = parsed({"name": name})
    assert (answer.engine, answer.session) == (engine, session)


def test_the_name_takes_precedence_over_the_attributes() -> None:
    answer = parsed({"name": ANSWER_NAME}, engine="other", session="other")
    assert (answer.engine, answer.session) == ("shop", "s1")


@pytest.mark.parametrize("engine", ["shop", "projects/1/collections/c/engines/shop"])
def test_an_attribute_names_the_engine_if_the_body_does_not(engine: str) -> None:
    answer = parsed(BLOCKED, engine=engine, session="s5")
    assert (answer.engine, answer.session) == ("shop", "s5")


EIGHT, NINE = 1_772_438_400_000_000, 1_772_442_000_000_000
HOUR, LAST = 3_600_000_000, 253_402_300_799_999_999
TIMES = {
    "completion": (
        {"completeTime": "2026-03-02T08:00:00Z", "createTime": "2026-03-02T07:00:00Z"},
        EIGHT,
        True,
    ),
    "creation": ({"createTime": "2026-03-02T08:00:00Z"}, EIGHT, True),
    "offset": ({"createTime": "2026-03-02T09:30:00+01:30"}, EIGHT, True),
    "nanoseconds": ({"createTime": "2026-03-02T08:00:00.123456789Z"}, EIGHT + 123_456, True),
    "end of a day": ({"createTime": "2026-03-01T23:59:59.9999999Z"}, EIGHT - 8 * HOUR - 1, True),
    "end of the calendar": ({"createTime": "9999-12-31T23:59:59.9999999Z"}, LAST, True),
    "bad completion": (
        {"completeTime": "noon", "createTime": "2026-03-02T08:00:00Z"},
        EIGHT,
        False,
    ),
    "bad creation": ({"completeTime": "2026-03-02T08:00:00Z", "createTime": "noon"}, EIGHT, False),
    "no offset": ({"createTime": "2026-03-02T08:00:00"}, EIGHT, True),
    "date only": ({"createTime": "2026-03-02"}, NINE, False),
    "before year 1": ({"createTime": "0001-01-01T00:00:00+14:00"}, NINE, False),
    "after year 9999": ({"createTime": "9999-12-31T23:59:59-14:00"}, NINE, False),
    "no string": ({"createTime": 1772438400}, NINE, False),
    "13th month": ({"createTime": "2026-13-02T08:00:00Z"}, NINE, False),
    "none": ({}, NINE, True),
}


@pytest.mark.parametrize(("times", "time_us", "is_good"), TIMES.values(), ids=TIMES)
def test_the_event_time_is_the_first_that_parses(
    times: dict[str, object], time_us: int, is_good: bool
) -> None:
    answer = parse_answer(message_of(BLOCKED | times, publish_time_us=NINE))
    assert answer.event_time_us == time_us
    assert answer.tags == (() if is_good else ("BAD_TIMESTAMP",))


def test_the_attribute_takes_precedence_over_the_publish_time() -> None:
    message = message_of(BLOCKED, publish_time_us=NINE, event_time="2026-03-02T08:00:00Z")
    assert parse_answer(message).event_time_us == EIGHT


def test_an_attribute_that_is_not_a_time_is_tagged_once() -> None:
    answer = parse_answer(message_of(BLOCKED | {"createTime": "noon"}, event_time="dawn"))
    assert (answer.event_time_us, answer.tags) == (None, ("BAD_TIMESTAMP",))


def test_reasons_keep_their_order_without_unspecified_ones() -> None:
    reasons = ["ANSWER_SKIPPED_REASON_UNSPECIFIED", 9, "BRAND_NEW", 47, 0, "1"]
    assert parsed({"answerSkippedReasons": reasons}).skip_reasons == (
        "LOW_GROUNDED_ANSWER",
        "BRAND_NEW",
        "47",
        "ADVERSARIAL_QUERY_IGNORED",
    )


RATINGS = {
    "names": (
        {
            "category": "HARM_CATEGORY_HARASSMENT",
            "probability": "HIGH",
            "severity": "HARM_SEVERITY_LOW",
        },
        SafetyRating(category="HARASSMENT", probability="HIGH", severity="LOW"),
    ),
    "numbers": (
        {"category": 1, "probability": 1, "severity": 4, "blocked": True},
        SafetyRating(
            category="HATE_SPEECH", probability="NEGLIGIBLE", severity="HIGH", blocked=True
        ),
    ),
    "zero scores": ({"probabilityScore": 0.0, "severityScore": "0"}, SafetyRating()),
    "new": (
        {"category": "HARM_CATEGORY_NEW", "probability": 9},
        SafetyRating(category="NEW", probability="9"),
    ),
    "not numbers": ({"probabilityScore": "NaN", "severityScore": []}, SafetyRating()),
}


@pytest.mark.parametrize(("rating", "read"), RATINGS.values(), ids=RATINGS)
def test_a_rating_is_read_as_names(rating: dict[str, object], read: SafetyRating) -> None:
    assert parsed(BLOCKED | {"safetyRatings": [rating]}).safety_ratings == (read,)


@pytest.mark.parametrize(
    ("kind", "positive", "tags"),
    [
        ("ADVERSARIAL_QUERY", True, ("ADVERSARIAL_QUERY",)),
        (3, True, ("ADVERSARIAL_QUERY",)),
        ("JAIL_BREAKING_QUERY", False, ()),
        ("NON_ANSWER_SEEKING_QUERY", True, ()),
        ("NEW_QUERY", True, ()),
    ],
)
def test_an_adversarial_query_is_tagged(
    kind: object, positive: bool, tags: tuple[str, ...]
) -> None:
    found = {"type": kind, "positive": positive}
    value = {"queryUnderstandingInfo": {"queryClassificationInfo": [found]}}
    assert parsed(value).tags == tags
