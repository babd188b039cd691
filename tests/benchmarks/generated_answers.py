"""Answers made by rule, as many as a measurement needs, each different from all others."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

_SENTENCE = (
    "The pump of unit {number} runs at {speed} turns a minute, draws {power} watts and is to be"
    " cleaned every {days} days by the person on duty."
)
_SENTENCES_A_FACT = 5
_FACTS = 3


def generated_messages(count: int) -> Iterator[bytes]:
    """Make envelopes of about 3 KB, whose answers repeat a sentence of each of their facts.

    Args:
      count: how many; the first ones are the same for every count.
    """
    for number in range(count):
        facts = [_fact(number, fact) for fact in range(_FACTS)]
        answer = " ".join(fact[0] for fact in facts)
        yield msgspec.json.encode(
            {
                "id": f"generated-{number}",
                "engine": "generated",
                "time": f"2026-03-{1 + number % 28:02d}T12:00:00Z",
                "query": f"How is unit {number} to be kept?",
                "answer": answer,
                "facts": [{"text": " ".join(fact), "title": f"Unit {number}"} for fact in facts],
            }
        )


def write_archive(path: Path, count: int) -> None:
    """Write generated messages as lines of JSON."""
    with path.open("wb") as stream:
        for message in generated_messages(count):
            stream.write(message + b"\n")


def _fact(number: int, fact: int) -> list[str]:
    return [
        _SENTENCE.format(
            number=f"{number}-{fact}-{sentence}",
            speed=1_000 + (number * 7 + sentence) % 900,
            power=100 + (number * 3 + fact) % 90,
            days=2 + (number + sentence) % 28,
        )
        for sentence in range(_SENTENCES_A_FACT)
    ]
