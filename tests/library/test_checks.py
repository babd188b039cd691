"""Answers checked without a pipeline."""

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

import groundwatch
from groundwatch import Thresholds, acheck, check, check_many
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import VerdictThresholds
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import ContradictionKind, Tag, Verdict
from groundwatch.transforms.grounding.errors import AnswerRefused, CheckFailed, Unavailable
from groundwatch.transforms.grounding.python_checker import AnswerText
from groundwatch.transforms.grounding.settings import settings_for
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


FILE = """
low_grounded_threshold: [0.0, shop=0.0]
claim_threshold:
- 1.0
- shop=0.1
"""


@pytest.fixture
def thresholds_file(tmp_path: Path) -> Path:
    path = tmp_path / "thresholds.yaml"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("as_given", [str, Path, lambda path: yaml.safe_load(path.read_text())])
def test_thresholds_are_those_that_calibrate_writes(
    as_given: Callable[[Path], Any], thresholds_file: Path
) -> None:
    given = as_given(thresholds_file)
    used = [
        check("The lamp has a warranty.", [FACT], thresholds=given, engine=engine)
        for engine in (None, "shop", "tea")
    ]
    assert [record.verdict for record in used] == ["LOW_GROUNDED", "GROUNDED", "LOW_GROUNDED"]
    [low, *_] = used
    assert low.check
    assert low.check.thresholds == VerdictThresholds(low_grounded=0.0, claim=1.0)


def test_thresholds_may_be_a_mapping_of_engines() -> None:
    given = {"claim": {"shop": 1}, "low_grounded_threshold": 0.2}
    record = check(FACT, [FACT], thresholds=given, engine="shop")
    assert record.check
    assert record.check.thresholds == VerdictThresholds(low_grounded=0.2, claim=1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"claims": 0.4}, "thresholds['claims'] is not a setting; did you mean claim?"),
        ({"xyz": 0.4}, "thresholds['xyz'] is not a setting: the names are low_grounded, claim"),
        ({"claim": 40}, "thresholds['claim'] = 40: must be a number from 0 to 1"),
        (
            {"claim_treshold": 0.4},
            "thresholds['claim_treshold'] is not a setting: the names are low",
        ),
        ({"claim_threshold": 40}, "thresholds['claim_threshold'] = 40: must be a number from 0 to"),
        ({"claim_threshold": None}, "thresholds['claim_threshold'] = None: must be a number"),
        ({"claim_threshold": [0.4, "shop=x"]}, "thresholds['claim_threshold'] = shop=x: must be"),
        ({"move_reason": "A=GROUNDED"}, "thresholds['move_reason'] is not a setting"),
        ("none.yaml", "thresholds=none.yaml: must be an existing file of this machine"),
        (Thresholds(claim=40), "thresholds['claim'] = 40: must be a number from 0 to 1"),
    ],
)
def test_thresholds_that_are_wrong_are_named(given: Any, message: str) -> None:
    for call in (check, lambda *answer, **more: check_many([answer], **more)):
        with pytest.raises(ValueError, match=re.escape(message)):
            call(FACT, [FACT], thresholds=given)


def test_a_file_that_is_wrong_is_named_with_its_line(thresholds_file: Path) -> None:
    thresholds_file.write_text("claim_threshold: 4\nchecker: local\n")
    with pytest.raises(
        ValueError, match=r"yaml, line 2: checker is not .*yaml, line 1: claim_threshold: 4: must"
    ):
        check(FACT, [FACT], thresholds=thresholds_file)
    thresholds_file.write_text("0.4")
    with pytest.raises(ValueError, match=r"^thresholds=.*yaml: must be a mapping of settings"):
        check(FACT, [FACT], thresholds=thresholds_file)


@pytest.mark.parametrize("given", [None, 0.4, [0.4]])
def test_thresholds_of_another_type_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=r"thresholds is (an? \w+|None): pass Thresholds"):
        check(FACT, [FACT], thresholds=given)


def test_equal_answers_have_equal_ids() -> None:
    assert check(FACT, [FACT]).record_id == check(FACT, [FACT]).record_id
    assert check(FACT, [FACT]).record_id != check(FACT, [FACT], question="How long?").record_id


class Document:
    """As LangChain's; what its metadata holds besides texts is not read."""

    def __init__(self, page_content: str, metadata: Any) -> None:
        self.page_content = page_content
        self.metadata = metadata


ADDRESS = "https://a.example/b"
SOURCE = {"source": ADDRESS, "title": "Warranty", "loaded": datetime(2026, 3, 2, tzinfo=UTC)}


@pytest.mark.parametrize(
    "fact",
    [
        Document(FACT, SOURCE),
        {"page_content": FACT, "metadata": SOURCE | {"thumbnail": b"1"}},
        {"text": FACT, "url": ADDRESS, "title": "Warranty", "score": object()},
        {"text": FACT, "metadata": SOURCE},
        SimpleNamespace(text=FACT, metadata={"url": ADDRESS, "file_name": "Warranty"}),
        SimpleNamespace(content=FACT, meta={"url": ADDRESS, "name": "Warranty"}),
        Fact(text=FACT, uri=ADDRESS, title="Warranty"),
    ],
    ids=["LangChain", "dumped", "named", "mixed", "LlamaIndex", "Haystack", "record"],
)
def test_a_document_is_a_fact(fact: object) -> None:
    [kept] = check(FACT, [fact]).facts
    assert kept == Fact(text=FACT, uri=ADDRESS, title="Warranty")


def test_attributes_are_kept_in_whatever_type() -> None:
    given = {
        "text": FACT,
        "attributes": {"read": datetime(2026, 3, 2, tzinfo=UTC), "by": Path("a")},
    }
    [kept] = check(FACT, [given]).facts
    assert kept.attributes == {"read": "2026-03-02T00:00:00Z", "by": "a"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, [FACT]), "answer is None: pass a text"),
        ((3, [FACT]), "answer is an int: pass a text"),
        ((FACT, [FACT], 3), "question is an int: pass a text"),
        ((FACT, None), "facts is None: pass a list, such as [fact], or [] if there are none"),
        ((FACT, 3), "facts is an int: pass a list"),
        ((FACT, FACT), "facts is a str: pass a list"),
        ((FACT, FACT.encode()), "facts is a bytes: pass a list"),
        ((FACT, {"text": FACT}), "facts is a dict: pass a list"),
        ((FACT, Document(FACT, {})), "facts is a Document: pass a list"),
        ((FACT, [FACT, 3]), "facts[1] is an int: pass a text, a mapping with 'text', or an object"),
        ((FACT, [None]), "facts[0] is None: pass a text"),
        ((FACT, [Document(3, {})]), "facts[0] is a Document: pass a text"),  # type: ignore[arg-type]
        ((FACT, [{"txt": FACT}]), "facts[0] has no text: pass it as 'text'; its fields are 'txt'"),
        ((FACT, [{}]), "facts[0] has no text: pass it as 'text'; its fields are none"),
        ((FACT.encode(), [FACT]), "answer is a bytes"),
        ((bytearray(FACT.encode()), [FACT]), "answer is a bytearray"),
        ((FACT, [FACT, FACT.encode()]), "facts[1] is a bytes"),
        ((FACT, (memoryview(FACT.encode()),)), "facts[0] is a memoryview"),
        ((FACT, [{"text": FACT.encode()}]), "facts[0]['text'] is a bytes"),
        ((FACT, [{"text": FACT, "attributes": {"a": [b"b"]}}]), "['attributes']['a'][0]"),
        ((FACT, [FACT], b"How long?"), "question is a bytes"),
    ],
)
def test_what_is_no_text_is_refused_by_name(arguments: Any, message: str) -> None:
    own = dict(zip(("answer", "facts", "question"), arguments, strict=False))
    for call in (
        lambda: check(**own),
        lambda: asyncio.run(acheck(**own)),
        lambda: list(check_many([(FACT, [FACT]), arguments])),
    ):
        with pytest.raises(TypeError, match=re.escape(message)):
            call()


@pytest.mark.parametrize("given", [FACT, (FACT,), (FACT, [FACT], None, None), None])
def test_what_is_no_pair_is_refused_by_its_number(given: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^answer 2: it is (a \w+|None): pass \(answer, facts\), or"
    ):
        list(check_many([(FACT, [FACT]), given]))


def test_a_check_imports_neither_beam_nor_googles_clients() -> None:
    script = (
        "import sys; from groundwatch import check;"
        "check('Lamps glow.', ['Lamps glow.'], thresholds={'claim': 0.3});"
        "heavy = {'apache_beam', 'pyarrow', 'grpc'};"
        "heavy |= {'google.auth.transport', 'google.cloud.storage'};"
        "sys.exit(str(sorted(heavy & set(sys.modules))))"
    )
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", script], capture_output=True, check=False, text=True
    )
    assert run.stderr == "[]\n"


@pytest.mark.parametrize(
    ("checker", "message"),
    [
        (b"local", "a bytes: pass a text, CheckSettings, or"),
        (None, "None: pass a text"),
        (3, "an int: pass a text"),
        (object(), "an object: pass a text"),
        (Document, "the class Document: pass an object of it, such as Document()"),
    ],
)
def test_a_checker_that_is_no_text_is_refused(checker: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(f"checker is {message}")):
        check(FACT, [FACT], checker=checker)


@pytest.mark.parametrize(
    ("answer", "fact", "question"),
    [("a \ud83d", FACT, None), (FACT, "a \udcff", None), (FACT, FACT, "\ud800?")],
)
def test_half_of_a_surrogate_pair_is_refused_as_in_a_message(
    answer: str, fact: str, question: str | None
) -> None:
    with pytest.raises(UnreadableAnswer, match=r"holds half of a surrogate pair\."):
        check(answer, [fact], question=question)


def test_many_answers_keep_their_order_and_their_questions() -> None:
    given = [(f"Lamp {n} glows.", [FACT]) for n in range(300)]
    records = list(check_many(iter(given), question="Which lamp?"))
    assert [record.answer_text for record in records] == [answer for answer, _ in given]
    assert {record.query for record in records} == {"Which lamp?"}
    [own] = check_many([("", [FACT], "How long?")], question="Which lamp?")
    assert own.query == "How long?"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"questoin": "How long?"}, "unknown argument questoin: did you mean question?"),
        (
            {"k": 3},
            "unknown argument k: there are question, query, engine, checker, scorer, escalate",
        ),
        ({"question": "How?", "query": "How?"}, "question and query are the same: pass one of"),
    ],
)
def test_an_argument_that_is_wrong_is_named(options: Any, message: str) -> None:
    for call in (
        lambda: check(FACT, [FACT], **options),
        lambda: asyncio.run(acheck(FACT, [FACT], **options)),
        lambda: check_many([(FACT, [FACT])], **options),
    ):
        with pytest.raises(TypeError, match=re.escape(message)):
            call()


def test_the_question_has_the_name_of_the_record_too() -> None:
    asked = check(FACT, [FACT], question="How long?")
    assert (asked.query, asked.record_id) == (
        "How long?",
        check(FACT, [FACT], query="How long?").record_id,
    )


class Refusing:
    """A checker that fails at answers which begin with the name of an error."""

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> float:  # noqa: ARG002
        if answer.startswith("Absent"):
            raise KeyError(answer)
        if answer.startswith("Away"):
            raise OSError(answer)
        return 1.0


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ((FACT, [3]), TypeError, "facts[0] is an int"),
        (FACT, TypeError, "it is a str"),
        (("a \ud83d", [FACT]), UnreadableAnswer, "A string holds half of a surrogate pair"),
        (("Absent lamps glow.", [FACT]), AnswerRefused, "the checker tests.library.test_checks:R"),
        (("Away lamps glow.", [FACT]), Unavailable, "the checker tests.library.test_checks:Ref"),
    ],
)
def test_a_failure_is_raised_at_its_answer_and_the_others_are_checked(
    given: Any, kind: type[Exception], message: str
) -> None:
    settings = settings_for(Refusing())
    settings = replace(settings, retries=replace(settings.retries, max_attempts=1))
    good = (FACT, [FACT])
    records = check_many([good, given, good, given, good], checker=settings)
    assert next(records).verdict is Verdict.GROUNDED
    failed = []
    for _ in "24":
        with pytest.raises(kind) as raised:
            next(records)
        failed.append(raised.value)
        assert next(records).verdict is Verdict.GROUNDED
    for number, error in zip((2, 4), failed, strict=True):
        assert str(error).startswith(f"answer {number}: {message}")
        assert vars(error)["index"] == number - 1
    assert list(records) == []


def test_acheck_returns_the_record_of_check() -> None:
    answer = "The lamp has a warranty of five years."
    first = asyncio.run(acheck(answer, [FACT], question="How long?"))
    second = check(answer, [FACT], question="How long?")
    assert replace(first, check=None) == replace(second, check=None)


class Hanging:
    """A checker that returns when it is released."""

    def __init__(self) -> None:
        self.began, self.released = threading.Semaphore(0), threading.Event()

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> float:  # noqa: ARG002
        self.began.release()
        self.released.wait(60)
        return 1.0


def test_a_checker_that_hangs_holds_up_neither_other_checks_nor_other_threads() -> None:
    checker, calls = Hanging(), 32  # as many threads as an event loop has by itself, at most

    async def serve() -> None:
        hanging = [asyncio.create_task(acheck(FACT, [FACT], checker=checker)) for _ in range(calls)]
        try:
            for _ in hanging:
                await asyncio.wait_for(asyncio.to_thread(checker.began.acquire), 20)
            await asyncio.wait_for(acheck(FACT, [FACT]), 20)
        finally:
            checker.released.set()
            await asyncio.gather(*hanging)

    asyncio.run(serve())


def test_a_check_beside_an_event_loop_has_the_callers_context() -> None:
    request = ContextVar("request", default="")

    class Noting:
        def __str__(self) -> str:
            return request.get()

    async def serve() -> str:
        request.set("r-1")
        record = await acheck(FACT, [{"text": FACT, "attributes": {"request": Noting()}}])
        return json.dumps(record.to_dict())

    assert "r-1" in asyncio.run(serve())


@pytest.mark.parametrize("checker", ["discoveryengine", "lokal", "ftp://a.example"])
def test_a_checker_that_cannot_be_called_is_named(checker: str) -> None:
    with pytest.raises(ValueError, match=checker):
        check_many([], checker=checker)


@pytest.mark.parametrize("checker", ["http://h/?key=sesame", "http://u:sesame@h", "h?key=sesame"])
def test_the_secret_of_an_address_is_not_quoted(checker: str) -> None:
    with pytest.raises(ValueError, match="hidden") as raised:
        check_many([], checker=checker)
    assert "sesame" not in str(raised.value)


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
