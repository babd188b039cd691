"""What the statistics are made of."""

from typing import NamedTuple


class Example(NamedTuple):
    """An answer or a claim that has a label.

    Attributes:
      score: 0..1, None where there is nothing to score; such an example is never flagged.
      is_unsupported: what a person said of it.
      cluster: examples of one cluster are no independent witnesses: answers made from the same
        facts, and the claims of these.
    """

    score: float | None
    is_unsupported: bool
    cluster: str
