"""The revision of the embedded checker changes with its replies."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.lexical.check_claims import REVISION, check_grounding
from tests.support.checks import check_request
from tests.support.languages_table import LANGUAGES, sentences

KNOWN = {"words-2": "6e3d33de0ecbb575"}
"""Of the revision, the digest of its replies."""


_REQUESTS = Path(__file__).parents[2] / "data" / "revision_requests.jsonl"


class Request(Record, frozen=True):
    """An answer's text and the facts that it is checked against."""

    text: str
    facts: list[str]


def requests() -> Iterator[CheckRequest]:
    for language in LANGUAGES:
        for each in sentences(language):
            yield check_request(each.text, each.fact)
    for line in _REQUESTS.read_bytes().splitlines():
        request = msgspec.json.decode(line, type=Request)
        yield check_request(request.text, *request.facts)


def test_other_replies_are_another_revision() -> None:
    digest = sha256()
    for request in requests():
        for claim in check_grounding(request).claims:
            score = None if claim.score is None else round(claim.score, 4)
            digest.update(msgspec.json.encode((claim.start_pos, claim.end_pos, score)))
            digest.update(msgspec.json.encode(claim.mismatches))
    assert KNOWN[REVISION] == digest.hexdigest()[:16], (
        f"the replies are not those of {REVISION}: raise REVISION in check_claims.py, and note"
        " the digest here"
    )
