"""What names an answer."""

import re

import pytest

from schemas.message import Message
from tests.support.answer_messages import ANSWER_NAME, message_of
from transforms.formats import parse_answer
from transforms.formats.identity import record_id
from transforms.formats.reading import Identity

GREETING = {"answerText": "Hello!"}
TIMED = GREETING | {"createTime": "2026-03-02T08:00:00Z"}


def id_of(message: Message) -> str:
    return parse_answer(message).record_id


SAME = {
    "name": (
        message_of(GREETING | {"name": ANSWER_NAME}, place="a", id="1"),
        message_of({"answer": {"name": ANSWER_NAME}, "answerQueryToken": "t"}, place="b"),
    ),
    "token": (
        message_of({"answer": GREETING, "answerQueryToken": "t"}, place="a", id="1"),
        message_of({"answer": {}, "answer_query_token": "t"}, place="b", id="2"),
    ),
    "envelope's id": (
        message_of({"answer": "a", "id": "7"}, place="a", id="1"),
        message_of({"answer": "b", "id": "7"}, place="b"),
    ),
    "attribute": (
        message_of(GREETING, place="a", id="1"),
        message_of({"answerText": "Bye!"}, place="b", id="1"),
    ),
    "content": (
        message_of(TIMED, place="a"),
        message_of(
            b'{"create_time": "2026-03-02T09:00:00+01:00", "answer_text": "Hello!", "state": 0}',
            place="b",
            publish_time_us=5,
        ),
    ),
    "content with the attribute's time": (
        message_of(GREETING, place="a", event_time="2026-03-02T08:00:00Z"),
        message_of(GREETING, place="b", event_time="2026-03-02T08:00:00Z", region="eu"),
    ),
    "place": (message_of(GREETING, place="a"), message_of({"answerText": "Bye!"}, place="a")),
    "empty name": (message_of(GREETING | {"name": ""}, place="a"), message_of(GREETING, place="a")),
    "unfinished states": (
        message_of({"name": ANSWER_NAME, "state": "IN_PROGRESS"}, place="a"),
        message_of({"name": ANSWER_NAME, "state": "STREAMING", "answerText": "H"}, place="b"),
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_one_answer_has_one_id(one: Message, other: Message) -> None:
    assert id_of(one) == id_of(other)


DIFFERENT = {
    "two greetings": (message_of(GREETING, place="a"), message_of(GREETING, place="b")),
    "two blocked": (
        message_of({"answerSkippedReasons": [4]}, place="f#1"),
        message_of({"answerSkippedReasons": [4]}, place="f#2"),
    ),
    "two publish times are no times": (
        message_of(GREETING, place="a", publish_time_us=5),
        message_of(GREETING, place="b", publish_time_us=5),
    ),
    "bad times are no times": (
        message_of(GREETING | {"createTime": "noon"}, place="a"),
        message_of(GREETING | {"createTime": "noon"}, place="b"),
    ),
    "same content at other times": (
        message_of(TIMED),
        message_of(GREETING | {"createTime": "2026-03-02T08:00:01Z"}),
    ),
    "other content at the same time": (
        message_of(TIMED),
        message_of(TIMED | {"answerText": "Bye!"}),
    ),
    "other engine": (message_of(TIMED, engine="a"), message_of(TIMED, engine="b")),
    "kinds of identity": (
        message_of({"answer": "a", "id": "7"}, place="7"),
        message_of({"answer": "a"}, place="7"),
    ),
    "unfinished and finished": (
        message_of({"name": ANSWER_NAME, "state": "IN_PROGRESS"}),
        message_of({"name": ANSWER_NAME, "state": "SUCCEEDED"}),
    ),
    "unfinished and finished candidate": (
        message_of({"content": {"parts": []}}, id="1"),
        message_of({"content": {"parts": [{"text": "Yes."}]}}, id="1"),
    ),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_two_answers_have_two_ids(one: Message, other: Message) -> None:
    assert id_of(one) != id_of(other)


def test_a_record_id_is_a_sha_256_in_hex() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", id_of(message_of(GREETING)))


def test_kinds_and_values_do_not_run_into_each_other() -> None:
    identities = [
        record_id(Identity(kind="id", value="incomplete")),
        record_id(Identity(kind="id", value=""), incomplete=True),
        record_id(Identity(kind="id", value="\0incomplete")),
        record_id(Identity(kind="id", value="")),
        record_id(Identity(kind="idi", value="ncomplete")),
    ]
    assert len(set(identities)) == len(identities)


def test_a_path_that_is_no_unicode_names_an_answer_too() -> None:
    assert id_of(message_of(GREETING, place="caf\udce9.jsonl#1"))


def test_record_ids_stay_what_they_are() -> None:
    """Live traffic, backfills and replays of all releases must agree."""
    assert id_of(message_of({"name": ANSWER_NAME})) == EXPECTED_ID


EXPECTED_ID = "068a1af50f53715329facc006d8660c28046c9cde66fc250fdfa13eac1def791"
