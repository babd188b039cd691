"""The protocol against recorded replies: ../../data/replies/<case>/, and against anything at all.

A case is a folder: what was asked (request.json), what came back (reply.json, or reply.bin where
it is no JSON; the status and its Retry-After in `status`), and what is read from it
(expected.json: the response, or the error).
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.wire.grounding_check import (
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.grounding import errors
from groundwatch.transforms.grounding.errors import CheckFailed, Unavailable
from groundwatch.transforms.grounding.protocol import (
    HttpReply,
    build_request,
    check_path,
    encode_request,
    interpret_reply,
)
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.rules.planning import AnswerPiece, FactPiece, PlannedCall
from tests.support.builders import a_fact

CASES = sorted((Path(__file__).parents[2] / "data" / "replies").iterdir())
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
SAID = "Lamps glow"
"""Stands in every recorded answer."""


class Recorded(NamedTuple):
    request: CheckRequest
    status: int
    retry_after: str | None
    body: bytes
    expected: dict[str, Any]


def recorded(folder: Path) -> Recorded:
    status, _, retry_after = (folder / "status").read_text().strip().partition("\nRetry-After: ")
    (reply,) = folder.glob("reply.*")
    return Recorded(
        request=msgspec.json.decode((folder / "request.json").read_bytes(), type=CheckRequest),
        status=int(status),
        retry_after=retry_after or None,
        body=reply.read_bytes(),
        expected=json.loads((folder / "expected.json").read_text()),
    )


def interpret(case: Recorded) -> CheckResponse:
    return interpret_reply(
        HttpReply(case.status, case.body, case.retry_after), case.request, NOON
    ).response


@pytest.mark.parametrize("folder", CASES, ids=[folder.name for folder in CASES])
def test_a_recorded_reply_is_read_or_refused(folder: Path) -> None:
    case = recorded(folder)
    if "error" not in case.expected:
        assert interpret(case) == msgspec.convert(case.expected, CheckResponse)
        return
    with pytest.raises(CheckFailed) as failed:
        interpret(case)
    error = failed.value
    assert type(error) is getattr(errors, case.expected["error"])
    assert str(error) == case.expected["message"]
    assert SAID not in repr(error)
    assert getattr(error, "retry_after_s", None) == case.expected.get("retry_after_s")


def test_there_are_recorded_replies() -> None:
    assert len(CASES) > 50


REQUEST = CheckRequest(
    answer_candidate="Olé! Lamps glow.", facts=(GroundingFact(fact_text="Lamps glow."),)
)


def read(body: bytes) -> CheckResponse | None:
    """The reply, or None where it is refused; whatever else is raised is a fault."""
    try:
        return interpret_reply(HttpReply(200, body), REQUEST, NOON).response
    except CheckFailed:
        return None


def assert_can_be_merged(response: CheckResponse | None) -> None:
    if response is None:
        return
    answer = REQUEST.answer_candidate.encode()
    for claim in response.claims:
        assert answer[claim.start_pos : claim.end_pos].decode()
        assert all(response.cited_chunks[index].source for index in claim.citation_indices)
    assert all(REQUEST.facts[int(chunk.source)] for chunk in response.cited_chunks)
    assert 0 <= (response.support_score or 0) <= 1


@given(st.binary())
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    assert_can_be_merged(read(body))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children),
    max_leaves=8,
)
_offset = st.integers(-2, 20) | st.integers()
_score = st.floats(0, 1) | st.floats() | st.none() | st.text()
_claim = st.fixed_dictionaries(
    {},
    optional={
        "startPos": _offset,
        "endPos": _offset,
        "claimText": st.text(),
        "citationIndices": st.lists(st.integers(-1, 2)),
        "groundingCheckRequired": st.booleans(),
        "score": _score,
        "antiCitationIndices": _json,
    },
)
_chunk = st.fixed_dictionaries(
    {},
    optional={"chunkText": st.text(), "source": st.sampled_from(["0", "1", "-1", "x", "\u0660"])},
)
_reply = st.fixed_dictionaries(
    {},
    optional={
        "supportScore": _score,
        "citedChunks": st.lists(_chunk, max_size=3) | _json,
        "claims": st.lists(_claim, max_size=3) | _json,
        "leftover": _json,
    },
)


@given(_reply | _json)
def test_any_json_is_read_or_refused(reply: Any) -> None:
    assert_can_be_merged(read(json.dumps(reply, ensure_ascii=False).encode(errors="replace")))


@given(st.data())
def test_no_cut_or_flipped_byte_of_a_good_reply_is_more_than_refused(data: st.DataObject) -> None:
    body = bytearray((CASES[0].parent / "documented" / "reply.json").read_bytes())
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] = data.draw(st.integers(0, 255))
    assert_can_be_merged(read(bytes(body[: data.draw(st.integers(place, len(body)))])))


@given(st.integers(100, 999).filter(lambda status: status != 200), st.binary())
def test_any_other_status_is_a_failed_check(status: int, body: bytes) -> None:
    with pytest.raises(CheckFailed):
        interpret_reply(HttpReply(status, body), REQUEST, NOON)


WAITS = {
    "seconds": ("7", 7.0),
    "with white space": (" 7 ", 7.0),
    "no wait": ("0", 0.0),
    "five minutes": ("300", 300.0),
    "an hour": ("3600", 300.0),
    "a day": ("86400", 300.0),
    "more than a number holds": ("9" * 400, 300.0),
    "a date in an hour": ("Tue, 03 Mar 2026 13:00:00 GMT", 300.0),
    "a date far away": ("Tue, 03 Mar 2099 12:00:00 GMT", 300.0),
    "a date": ("Tue, 03 Mar 2026 12:01:00 GMT", 60.0),
    "a date elsewhere": ("Tue, 03 Mar 2026 13:01:00 +0100", 60.0),
    "a date of no zone": ("Tue, 03 Mar 2026 12:01:00 -0000", 60.0),
    "a date gone by": ("Tue, 03 Mar 2020 12:00:00 GMT", 0.0),
    "negative": ("-7", None),
    "a fraction": ("1.5", None),
    "words": ("soon", None),
    "empty": ("", None),
    "digits of another script": ("\u0667", None),
    "a year beyond all": ("Tue, 03 Mar 99999999999999 12:00:00 GMT", None),
    "a zone beyond all": ("Tue, 03 Mar 2026 12:00:00 +99999999999999999999", None),
}


def wait_of(retry_after: str) -> float | None:
    with pytest.raises(Unavailable) as failed:
        interpret_reply(HttpReply(503, b"", retry_after), REQUEST, NOON)
    return failed.value.retry_after_s


@pytest.mark.parametrize(("retry_after", "seconds"), WAITS.values(), ids=WAITS)
def test_how_long_to_wait_is_read_as_seconds_or_a_date(
    retry_after: str, seconds: float | None
) -> None:
    assert wait_of(retry_after) == seconds


@given(st.text() | st.from_regex(r"\A\w{3}, \d{1,3} Mar \d{1,12} \d\d:\d\d:\d\d [+-]?\d{1,30}\Z"))
def test_any_wait_is_some_time_from_now_or_none(retry_after: str) -> None:
    seconds = wait_of(retry_after)
    assert seconds is None or 0 <= seconds <= 300


FACTS = (
    Fact(text="whole", title="T", uri="U", document="D", attributes={"page": "7"}),
    Fact(text="plain"),
    Fact(text="named", title="T", attributes={"title": "its own"}),
)
CALL = PlannedCall(
    answer=AnswerPiece(text="é.", start=40),
    facts=(
        FactPiece(text="wh", fact=0, start=0),
        FactPiece(text="ole", fact=0, start=2),
        FactPiece(text="plain", fact=1, start=0),
        FactPiece(text="named", fact=2, start=0),
    ),
)


def test_a_planned_call_becomes_the_services_request() -> None:
    settings = CheckSettings(citation_threshold=0.5)
    assert build_request(CALL, FACTS, settings) == CheckRequest(
        answer_candidate="é.",
        facts=(
            GroundingFact(fact_text="wh", attributes={"title": "T", "uri": "U", "page": "7"}),
            GroundingFact(fact_text="ole", attributes={"title": "T", "uri": "U", "page": "7"}),
            GroundingFact(fact_text="plain"),
            GroundingFact(fact_text="named", attributes={"title": "its own"}),
        ),
        grounding_spec=GroundingSpec(citation_threshold=0.5, enable_claim_level_score=True),
    )


def test_of_json_the_texts_are_sent_and_billed() -> None:
    fact = a_fact('{"info": "G\\u00e4ste zahlen."}')
    piece = FactPiece(text=fact.text, fact=0, start=0)
    call = PlannedCall(answer=AnswerPiece(text="Olé!", start=0), facts=(piece,))
    request = build_request(call, [fact], CheckSettings())
    assert [each.fact_text for each in request.facts] == ["info: Gäste zahlen."]
    assert request.characters == len("Olé!") + len("info: Gäste zahlen.")


@pytest.mark.parametrize("threshold", [0.5, 0.0, None])
def test_a_request_is_written_in_the_services_members_and_no_others(
    threshold: float | None,
) -> None:
    request = build_request(CALL, FACTS, CheckSettings(citation_threshold=threshold))
    spec = {"enableClaimLevelScore": True}
    written = json.loads(encode_request(request))
    assert set(written) == {"answerCandidate", "facts", "groundingSpec"}
    assert written["facts"][2] == {"factText": "plain"}
    assert written["groundingSpec"] == (
        spec if threshold is None else spec | {"citationThreshold": threshold}
    )


def test_the_path_holds_the_version_and_the_configuration() -> None:
    settings = CheckSettings(
        api_version="v1", grounding_config="projects/p/locations/eu/groundingConfigs/c"
    )
    assert check_path(settings) == "/v1/projects/p/locations/eu/groundingConfigs/c:check"


@given(st.text("aé€😀.", min_size=1, max_size=8), st.integers(-1, 34), st.integers(-1, 34))
def test_a_claim_is_a_span_of_whole_characters(text: str, start: int, end: int) -> None:
    claim = {"startPos": start, "endPos": end}
    answer, body = text.encode(), json.dumps({"claims": [claim]}).encode()
    try:
        is_span = 0 <= start < end <= len(answer) and bool(answer[start:end].decode())
    except UnicodeDecodeError:
        is_span = False
    request = CheckRequest(answer_candidate=text)
    if is_span:
        assert interpret_reply(HttpReply(200, body), request, NOON).response.claims
        return
    with pytest.raises(CheckFailed, match="offsets"):
        interpret_reply(HttpReply(200, body), request, NOON)
