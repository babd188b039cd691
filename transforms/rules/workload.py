"""Decide whether an answer is compared with its facts by an index.

For usual sizes it is fastest to compare each claim with each sentence of the facts. The time for
that grows with the product of both sizes; the time for an index grows with their sum.
"""

from collections.abc import Sequence

_MOST_FACT_CHARS = 150_000
"""The caches of what was read of facts hold no more."""

_MOST_PRODUCT = 6_000_000
"""Characters of the answer times sentences of the facts: twenty times the largest of 2,077 real
answers (RAGTruth, WiCE, BEGIN, CLAP-NQ), and about a second in the worst case."""

_CHARS_A_SENTENCE = 200
_MARKS = ".!?\n\r"
_OTHER_MARKS = "\u06d4\u0964\u3002\uff01\uff1f\uff61\u2028\u2029"
"""Marks that end a sentence or a line, in other scripts than Latin."""


def is_large(answer_chars: int, facts: Sequence[str]) -> bool:
    """Return whether an answer and its facts are so large that they need an index.

    Args:
      answer_chars: the length of the answer, or of its claims together.
      facts: the texts of the facts.
    """
    chars = sum(map(len, facts))
    if chars > _MOST_FACT_CHARS:
        return True
    if 2 * answer_chars * chars <= _MOST_PRODUCT:
        return False
    sentences = chars // _CHARS_A_SENTENCE + sum(map(most_sentences, facts))
    return answer_chars * sentences > _MOST_PRODUCT


def most_sentences(text: str) -> int:
    """Return an upper bound of the number of sentences, the number of marks that end one."""
    marks = 1 + sum(map(text.count, _MARKS))
    return marks if text.isascii() else marks + sum(map(text.count, _OTHER_MARKS))
