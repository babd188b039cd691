"""A value of a claim that its facts tell otherwise."""

from typing import NamedTuple

from schemas.verdict import ContradictionKind

NEAR_ENOUGH = 0.5
"""The share of a claim's words that a sentence must have to be about the same."""


class Difference(NamedTuple):
    """What a claim says and what a fact says instead.

    Attributes:
      kind: what differs.
      claim_value: as the claim writes it.
      fact_value: what stands instead, as a fact writes it; None where nothing does.
      fact: the index of that fact, None without.
    """

    kind: ContradictionKind
    claim_value: str
    fact_value: str | None = None
    fact: int | None = None
