"""The JSON of Discovery Engine's `groundingConfigs.check`, in both directions.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""

import msgspec

from groundwatch.schemas.verdict import ContradictionKind


class _CheckWire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The base of the types: camelCase in JSON, fields with their default value left out."""


class GroundingFact(_CheckWire, frozen=True, kw_only=True):
    """A fact of at most 10,000 characters; its attributes take part in the check."""

    fact_text: str
    attributes: dict[str, str] = {}


class GroundingSpec(_CheckWire, frozen=True, kw_only=True):
    """The settings of a check; the threshold (0..1) decides which facts are cited."""

    citation_threshold: float | None = None
    enable_claim_level_score: bool | None = None


class CheckRequest(_CheckWire, frozen=True, kw_only=True):
    """The body of a check: one answer of at most 4,096 tokens, at most 200 facts.

    `query` is what the user asked; a field of groundwatch's, which Discovery Engine does not get.
    """

    answer_candidate: str
    facts: tuple[GroundingFact, ...] = ()
    grounding_spec: GroundingSpec = GroundingSpec()
    query: str | None = None

    @property
    def characters(self) -> int:
        """The characters of the answer and the facts: the unit of the service's bill."""
        return len(self.answer_candidate) + sum(len(fact.fact_text) for fact in self.facts)


class CitedChunk(_CheckWire, frozen=True, kw_only=True):
    """A passage of a fact that supports a claim; `source` is the fact's index as digits."""

    chunk_text: str = ""
    source: str = ""
    source_metadata: dict[str, str] = {}


class ClaimMismatch(_CheckWire, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value of a claim that contradicts a fact, given by its index; a field of groundwatch's."""

    kind: ContradictionKind
    claim_value: str = ""
    fact_value: str = ""
    fact: int


class CheckedClaim(_CheckWire, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence of the answer; offsets are UTF-8 bytes, end exclusive.

    `score` (0..1) is absent if no check was required. An absent `grounding_check_required` is
    unknown, not False. groundwatch's own checker adds `mismatches`; without them nobody looked.
    """

    start_pos: int = 0
    end_pos: int = 0
    claim_text: str = ""
    citation_indices: tuple[int, ...] = ()
    grounding_check_required: bool | None = None
    score: float | None = None
    mismatches: tuple[ClaimMismatch, ...] | None = None


class CheckResponse(_CheckWire, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reply: `support_score` (0..1) is absent, not 0, if no claim requires a check.

    groundwatch's own checker adds `unread_language`: words alone gave the scores, since its model
    does not read the language; and `partly_compared`: a claim or the facts were longer than what it
    looks for contradictions in.
    """

    support_score: float | None = None
    cited_chunks: tuple[CitedChunk, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    unread_language: bool = False
    partly_compared: bool = False
