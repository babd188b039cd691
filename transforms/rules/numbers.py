"""Numbers that a claim states and no fact does."""

import re
from collections.abc import Iterable

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_REFERENCE = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
"""A citation such as ``[3]`` or ``(1, 2)``, which counts sources and states nothing."""


def unmatched_numbers(claims: Iterable[str], facts: Iterable[str]) -> list[str]:
    """Find the numbers of claims that stand in no fact.

    Only spelling is evened out (1,500 is 1500, 2.0 is 2); a number that stands beside another
    subject in the facts is not found out.

    Args:
      claims: sentences of an answer.
      facts: the texts it was made from, with their attributes.

    Returns:
      The numbers as the claims write them, in their order.
    """
    stated = [
        number
        for claim in claims
        if _DIGIT.search(claim)
        for number in _NUMBER.findall(_REFERENCE.sub(" ", claim))
    ]
    if not stated:
        return []
    known = set(map(_even, _NUMBER.findall("\n".join(facts))))
    return [number for number in stated if _even(number) not in known]


def _even(number: str) -> str:
    plain = number.replace(",", "")
    return plain.removesuffix(".0").lstrip("0") or "0"
