"""Replies: their undocumented fields, and their stored form without text."""

from datetime import UTC, datetime

import msgspec
import pytest
from msgspec.structs import replace

from groundwatch.schemas.wire.grounding_check import CheckedClaim, CheckResponse, CitedChunk
from groundwatch.transforms.grounding.protocol import CheckReply, HttpReply, interpret_reply
from groundwatch.transforms.grounding.stored_reply import decode_reply, encode_reply
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support.checks import check_request

ANSWER, FACT = "Größe: Lamps glow. Cafés close.", "Lamps glow red at night."
REQUEST = check_request(ANSWER, "Doors close.", FACT)
SPAN = (len("Größe: ".encode()), len("Größe: Lamps glow.".encode()))
CLAIM = CheckedClaim(
    start_pos=SPAN[0],
    end_pos=SPAN[1],
    claim_text="Lamps glow.",
    citation_indices=(0,),
    grounding_check_required=True,
    score=0.75,
)


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(CheckResponse(), id="nothing"),
        pytest.param(CheckResponse(support_score=0.0), id="a score alone"),
        pytest.param(
            CheckResponse(
                support_score=0.5,
                cited_chunks=(CitedChunk(chunk_text=FACT, source="1"),),
                claims=(CLAIM, CheckedClaim(end_pos=4, claim_text="Grö")),
            ),
            id="claims and citations",
        ),
    ],
)
def test_a_stored_reply_gets_the_texts_of_its_request(response: CheckResponse) -> None:
    reply = CheckReply(response=response, attempts=3)
    assert decode_reply(encode_reply(reply), REQUEST) == reply


def test_a_reply_on_disk_holds_no_text() -> None:
    reply = CheckReply(
        response=CheckResponse(
            support_score=0.5,
            cited_chunks=(
                CitedChunk(
                    chunk_text=FACT, source="1", source_metadata={"document_id": "secret.pdf"}
                ),
            ),
            claims=(CLAIM,),
        ),
        attempts=1,
        unknown_members='{"quoted": "Lamps glow."}',
    )
    encoded = encode_reply(reply)
    assert not any(word in encoded for word in (b"Lamps", b"glow", b"secret", b"quoted"))
    again = decode_reply(encoded, REQUEST)
    assert again.unknown_members is None
    assert again.response.claims == reply.response.claims


def test_a_stored_reply_has_no_text_and_finds_the_values_of_its_mismatches_again() -> None:
    request = check_request("The warranty lasts 30 days.", "The warranty lasts 14 days.")
    reply = CheckReply(response=check_grounding(request), attempts=1)
    [mismatch] = reply.response.claims[0].mismatches or ()
    assert (mismatch.claim_value, mismatch.fact_value) == ("30 days", "14 days")
    stored = encode_reply(reply)
    assert b"days" not in stored
    assert decode_reply(stored, request) == reply


def test_the_values_of_a_later_claim_are_found_beside_a_figure_of_the_question() -> None:
    answer = "Lamps glow red. The warranty of a 60 W lamp lasts 30 days."
    facts = "Lamps glow red.", "The warranty of a 40 W lamp lasts 14 days."
    asked = replace(check_request(answer, *facts), query="What about my 60 W lamp?")
    reply = CheckReply(response=check_grounding(asked), attempts=1)
    [mismatch] = reply.response.claims[1].mismatches or ()
    assert (mismatch.claim_value, mismatch.fact_value) == ("30 days", "14 days")
    assert decode_reply(encode_reply(reply), asked) == reply


MEMBERS: dict[str, tuple[dict[str, object], dict[str, object] | None]] = {
    "none": ({"claims": [{"startPos": 0, "endPos": 4}]}, None),
    "of the reply": ({"contradictionScore": 0.1}, {"contradictionScore": 0.1}),
    "of a claim": (
        {"claims": [{"endPos": 4}, {"endPos": 8, "antiCitationIndices": [1]}]},
        {"claims": {"1": {"antiCitationIndices": [1]}}},
    ),
    "of attributes": ({"citedChunks": [{"source": "0", "sourceMetadata": {"author": "me"}}]}, None),
    "inside a text": ({"citedChunks": [{"chunkText": '"helpScore": 1', "source": "0"}]}, None),
    "of a chunk": ({"citedChunks": [{"source": "0", "uri": "u", "domain": {"new": 1}}]}, None),
    "documented but unused": ({"citedFacts": [{"factText": "Lamps glow."}]}, None),
    "nested": ({"somethingNew": {"deep": [1, 2]}}, {"somethingNew": {"deep": [1, 2]}}),
}


@pytest.mark.parametrize(("members", "kept"), MEMBERS.values(), ids=MEMBERS)
def test_undocumented_fields_are_kept(
    members: dict[str, object], kept: dict[str, object] | None
) -> None:
    found = read({"supportScore": 0.5} | members).unknown_members
    assert (None if found is None else msgspec.json.decode(found)) == kept


def test_undocumented_fields_change_nothing_else() -> None:
    claim = {"startPos": SPAN[0], "endPos": SPAN[1], "citationIndices": [0], "score": 0.75}
    chunk = {"chunkText": FACT, "source": "1"}
    reply = {"supportScore": 0.5, "citedChunks": [chunk], "claims": [claim, {"endPos": 4}]}
    more = {**reply, "claims": [{**claim, "new": {"deep": 1}}, {"endPos": 4, "new": 2}], "new": 3}
    assert read(more).response == read(reply).response


def read(reply: dict[str, object]) -> CheckReply:
    now = datetime(2026, 3, 3, tzinfo=UTC)
    return interpret_reply(HttpReply(200, msgspec.json.encode(reply)), REQUEST, now)
