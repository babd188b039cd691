"""What a reply holds beyond the published members: kept, since it may be tomorrow's feature.

Once experimental and perhaps still sent: contradictionScore, helpfulnessScore, a claim's
antiCitationIndices.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_RESPONSE = frozenset({"supportScore", "citedChunks", "citedFacts", "claims"})
_CLAIM = frozenset(
    {"startPos", "endPos", "claimText", "citationIndices", "groundingCheckRequired", "score"}
)
_CHUNK = frozenset({"chunkText", "source", "sourceMetadata", "index", "uri", "title", "domain"})
_KNOWN = {name.encode() for name in _RESPONSE | _CLAIM | _CHUNK}
_NAME = re.compile(rb'"([A-Za-z_]\w*)"\s*:')


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
    reply: dict[str, Any] = msgspec.json.decode(body)
    kept = _without(reply, _RESPONSE)
    claims = {
        str(index): _without(claim, _CLAIM)
        for index, claim in enumerate(reply.get("claims") or [])
        if _without(claim, _CLAIM)
    }
    if claims:
        kept["claims"] = claims
    return msgspec.json.encode(kept).decode() if kept else None


def _without(members: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in known}
