"""The revision of the embedded checker changes with its replies."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from groundwatch.launch.cli.samples import sample_paths
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.message import Message
from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.lexical.check_claims import REVISION, check_grounding
from groundwatch.transforms.step_order import route_answers
from tests.support.checks import check_request
from tests.support.languages_table import LANGUAGES, sentences

KNOWN = {"words-1": "f3c421a78acfc346"}
"""Of each revision, the digest of its replies."""


def requests() -> Iterator[CheckRequest]:
    for language in LANGUAGES:
        for each in sentences(language):
            yield check_request(each.text, each.fact)
    for path in sample_paths():
        for number, line in enumerate(Path(path).read_bytes().splitlines()):
            for routed in route_answers(Message(payload=line, place=f"{path}#{number}")):
                if isinstance(routed, CheckedAnswer) and routed.decision is None:
                    facts = [fact.text for fact in routed.answer.facts]
                    yield check_request(routed.answer.answer_text, *facts)


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
