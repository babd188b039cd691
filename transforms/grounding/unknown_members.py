"""What a reply holds beyond the published members: kept, since it may be tomorrow's feature.

Once experimental and perhaps still sent: contradictionScore, helpfulnessScore, a claim's
antiCitationIndices.
"""

import re

import msgspec

_RESPONSE = frozenset({"supportScore", "citedChunks", "citedFacts", "claims"})
_CLAIM = frozenset(
    {"startPos", "endPos", "claimText", "citationIndices", "groundingCheckRequired", "score"}
)
_CHUNK = frozenset({"chunkText", "source", "sourceMetadata", "index", "uri", "title", "domain"})
_KNOWN = {name.encode() for name in _RESPONSE | _CLAIM | _CHUNK}
_NAME = re.compile(rb'"([A-Za-z_]\w*)"\s*:')

Members = dict[str, msgspec.Raw]
_reply_decoder = msgspec.json.Decoder(Members)
_claims_decoder = msgspec.json.Decoder(list[Members])
_NO_CLAIMS = msgspec.Raw(b"[]")


def unknown_members(body: bytes) -> str | None:
    """Collect the members of a reply, and of its claims, that no page describes.

    Args:
      body: a valid reply.

    Returns:
      A JSON object of them as they came, those of claims under ``claims`` by the claim's index;
      None where there are none.
    """
    # Most replies have none, and a look at the names is far cheaper than reading it all again.
    if _KNOWN.issuperset(_NAME.findall(body)):
        return None
    reply = _reply_decoder.decode(body)
    kept = _without(reply, _RESPONSE)
    claims = _claims_decoder.decode(reply.get("claims", _NO_CLAIMS))
    of_claims = {
        str(index): unknown
        for index, claim in enumerate(claims)
        if (unknown := _without(claim, _CLAIM))
    }
    if of_claims:
        kept["claims"] = msgspec.Raw(msgspec.json.encode(of_claims))
    return msgspec.json.encode(kept).decode() if kept else None


def _without(members: Members, known: frozenset[str]) -> Members:
    return {name: value for name, value in members.items() if name not in known}
