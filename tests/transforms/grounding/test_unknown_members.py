"""What a reply holds beyond the published members."""

import msgspec
import pytest

from transforms.grounding.unknown_members import unknown_members


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ({"supportScore": 0.5, "claims": [{"startPos": 0, "endPos": 3}]}, None),
        ({"supportScore": 0.5, "contradictionScore": 0.1}, {"contradictionScore": 0.1}),
        (
            {"claims": [{"endPos": 3}, {"endPos": 9, "antiCitationIndices": [1]}]},
            {"claims": {"1": {"antiCitationIndices": [1]}}},
        ),
        ({"citedChunks": [{"source": "0", "sourceMetadata": {"author": "me"}}]}, None),
        ({"citedChunks": [{"chunkText": 'says "helpfulnessScore": 1', "source": "0"}]}, None),
        ({"claims": [], "somethingNew": {"deep": [1, 2]}}, {"somethingNew": {"deep": [1, 2]}}),
    ],
    ids=["none", "of the reply", "of a claim", "of attributes", "inside a text", "nested"],
)
def test_members_that_no_page_describes_are_kept(
    reply: dict[str, object], kept: dict[str, object] | None
) -> None:
    found = unknown_members(msgspec.json.encode(reply))
    assert (None if found is None else msgspec.json.decode(found)) == kept
