"""Answers checked without a pipeline."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

import groundwatch
from groundwatch import CheckSettings, Thresholds, acheck, check, check_many
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import ContradictionKind, Tag, Verdict
from groundwatch.transforms.grounding.errors import CheckFailed
from groundwatch.transforms.grounding.settings import RetrySettings
from tests.support import wire_faults
from tests.support.fault_server import FaultServer, always

FACT = "The lamp has a warranty of two years."


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (FACT, Verdict.GROUNDED, "ABOVE_THRESHOLDS"),
        ("Kettles vote in Peru.", Verdict.LOW_GROUNDED, "CLAIM_SCORE"),
        ("", Verdict.UNSCORABLE, "NO_TEXT"),
    ],
)
def test_an_answer_gets_its_verdict(answer: str, verdict: Verdict, reason: str) -> None:
    record = check(answer, [FACT])
    assert (record.verdict, record.verdict_reason) == (verdict, reason)


def test_reasoning_is_not_checked_and_offsets_are_those_of_the_whole_answer() -> None:
    answer = f"<think>Is it ﬁve years?</think>\n{FACT}"
    record = check(answer, [FACT])
    assert record.verdict is Verdict.GROUNDED
    assert record.tags == (Tag.REASONING_REMOVED,)
    [claim] = record.claims
    assert answer.encode()[claim.start : claim.end].decode() == claim.text == FACT


def test_an_answer_without_facts_is_not_scored() -> None:
    assert check("Lamps glow.", []).verdict_reason == "NO_FACTS"


def test_facts_may_have_titles_and_addresses() -> None:
    record = check(FACT, [{"text": FACT, "title": "Warranty", "uri": "https://a.example/b"}])
    assert (record.facts[0].title, record.facts[0].uri) == ("Warranty", "https://a.example/b")


def test_thresholds_decide() -> None:
    strict = Thresholds(low_grounded=1.0, claim=1.0)
    assert check(FACT, [FACT], thresholds=strict).verdict is Verdict.LOW_GROUNDED


def test_equal_answers_have_equal_ids() -> None:
    assert check(FACT, [FACT]).record_id == check(FACT, [FACT]).record_id
    assert check(FACT, [FACT]).record_id != check(FACT, [FACT], query="How long?").record_id


def test_what_is_no_fact_is_refused() -> None:
    with pytest.raises(UnreadableAnswer, match="Expected"):
        check(FACT, [3])  # type: ignore[list-item]


def test_a_checker_that_refuses_is_an_error() -> None:
    with FaultServer(always(wire_faults.status(400, "INVALID_ARGUMENT"))) as server:
        settings = CheckSettings(
            checker=server.address, endpoint=server.address, retries=RetrySettings(max_attempts=1)
        )
        with pytest.raises(CheckFailed):
            check(FACT, [FACT], checker=settings)


def test_a_check_imports_neither_beam_nor_googles_clients() -> None:
    script = (
        "import sys; from groundwatch import check; check('Lamps glow.', ['Lamps glow.']);"
        "heavy = {'apache_beam', 'grpc', 'google.auth.transport', 'google.cloud.storage'};"
        "sys.exit(str(sorted(heavy & set(sys.modules))))"
    )
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", script], capture_output=True, check=False, text=True
    )
    assert run.stderr == "[]\n"


@pytest.mark.parametrize("facts", [FACT, FACT.encode(), {"text": FACT}])
def test_facts_that_are_no_list_are_refused(facts: str) -> None:
    with pytest.raises(TypeError, match="pass a list"):
        check(FACT, facts)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((FACT.encode(), [FACT]), "answer is a bytes"),
        ((bytearray(FACT.encode()), [FACT]), "answer is a bytearray"),
        ((FACT, [FACT, FACT.encode()]), r"facts\[1\] is a bytes"),
        ((FACT, (memoryview(FACT.encode()),)), r"facts\[0\] is a memoryview"),
        ((FACT, [{"text": FACT.encode()}]), r"facts\[0\]\['text'\] is a bytes"),
        ((FACT, [{"text": FACT, "attributes": {"a": [b"b"]}}]), r"\['attributes'\]\['a'\]\[0\]"),
        ((FACT, [FACT], b"How long?"), "query is a bytes"),
    ],
)
def test_bytes_are_refused_by_name(arguments: Any, named: str) -> None:
    answer, facts, *query = arguments
    own = {"query": query[0]} if query else {}
    with pytest.raises(TypeError, match=named):
        check(answer, facts, **own)
    with pytest.raises(TypeError, match=named):
        asyncio.run(acheck(answer, facts, **own))
    with pytest.raises(TypeError, match=named):
        list(check_many([(FACT, [FACT]), arguments]))


@pytest.mark.parametrize("checker", [b"local", None, 3])
def test_a_checker_that_is_no_text_is_refused(checker: Any) -> None:
    with pytest.raises(TypeError, match="checker is a "):
        check(FACT, [FACT], checker=checker)


@pytest.mark.parametrize(
    ("answer", "fact", "query"),
    [("a \ud83d", FACT, None), (FACT, "a \udcff", None), (FACT, FACT, "\ud800?")],
)
def test_half_of_a_surrogate_pair_is_refused_as_in_a_message(
    answer: str, fact: str, query: str | None
) -> None:
    with pytest.raises(UnreadableAnswer, match=r"holds half of a surrogate pair\."):
        check(answer, [fact], query=query)


def test_many_answers_keep_their_order_and_their_questions() -> None:
    given = [(f"Lamp {n} glows.", [FACT]) for n in range(300)]
    records = list(check_many(iter(given), query="Which lamp?"))
    assert [record.answer_text for record in records] == [answer for answer, _ in given]
    assert {record.query for record in records} == {"Which lamp?"}
    [own] = check_many([("", [FACT], "How long?")], query="Which lamp?")
    assert own.query == "How long?"


def test_a_failure_is_raised_at_its_answer() -> None:
    records = check_many([(FACT, [FACT]), (FACT, [3])])  # type: ignore[list-item]
    assert next(records).verdict is Verdict.GROUNDED
    with pytest.raises(UnreadableAnswer):
        next(records)


def test_an_answer_is_checked_beside_an_event_loop() -> None:
    record = asyncio.run(acheck(FACT, [FACT], query="How long?"))
    assert record.record_id == check(FACT, [FACT], query="How long?").record_id


@pytest.mark.parametrize("checker", ["discoveryengine", "lokal", "ftp://a.example"])
def test_a_checker_that_cannot_be_called_is_named(checker: str) -> None:
    with pytest.raises(ValueError, match=checker):
        check_many([], checker=checker)


def test_a_checker_may_be_an_address() -> None:
    with (
        FaultServer(always(wire_faults.status(400, "INVALID_ARGUMENT"))) as server,
        pytest.raises(CheckFailed),
    ):
        check(FACT, [FACT], checker=server.address)


def test_a_record_becomes_values_that_json_has() -> None:
    record = check("The lamp has a warranty of three years.", [FACT])
    fields = record.to_dict()
    assert json.loads(json.dumps(fields)) == fields
    assert (fields["verdict"], fields["facts"][0]["text"]) == ("LOW_GROUNDED", FACT)


@pytest.mark.parametrize("kind", [Verdict, Tag, ContradictionKind])
def test_a_value_prints_as_itself(kind: type[Verdict]) -> None:
    assert all((str(each), repr(each)) == (each.value, repr(each.value)) for each in kind)


def test_every_name_can_be_imported() -> None:
    assert all(getattr(groundwatch, name) for name in dir(groundwatch))
    assert not hasattr(groundwatch, "chek")
