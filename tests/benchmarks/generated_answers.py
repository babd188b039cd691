"""Answers made by rule, as many as a measurement needs, each different from all others."""

import gzip
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

_SENTENCE = (
    "The pump of unit {number} runs at {speed} turns a minute, draws {power} watts and is to be"
    " cleaned every {days} days by the person on duty."
)
_SENTENCES_A_FACT = 5
_FACTS = 3
_FILE_MESSAGES = 20_000


def generated_messages(count: int) -> Iterator[bytes]:
    """Make envelopes of about 3 KB, whose answers repeat a sentence of each of their facts.

    Args:
      count: how many; the first ones are the same for every count.
    """
    return (_message(number, f"generated-{number}") for number in range(count))


def repeating_messages(count: int) -> Iterator[bytes]:
    """Make envelopes of which every fifth says what an earlier one said.

    Of ten, the ninth is an earlier one delivered again, and the tenth gives the answer of an
    earlier one under an id of its own. What they repeat lies about half the way back.
    """
    for number in range(count):
        tens, place = divmod(number, 10)
        if place < 8:
            said = tens * 8 + place
            yield _message(said, f"generated-{said}")
        elif place == 8:
            yield _message(tens * 4, f"generated-{tens * 4}")
        else:
            yield _message(tens * 4 + 1, f"again-{tens}")


def write_archive(path: Path, count: int) -> None:
    """Write generated messages as lines of JSON."""
    write_lines(path, generated_messages(count))


def write_lines(path: Path, messages: Iterable[bytes]) -> None:
    """Write messages as lines."""
    with path.open("wb") as stream:
        stream.writelines(message + b"\n" for message in messages)


def write_archives(folder: Path, messages: Iterator[bytes]) -> int:
    """Write messages as lines to gzip files of 20,000; returns how many were written."""
    written = 0
    while lines := [message + b"\n" for message in islice(messages, _FILE_MESSAGES)]:
        with gzip.open(folder / f"answers-{written:08d}.jsonl.gz", "wb", compresslevel=1) as stream:
            stream.writelines(lines)
        written += len(lines)
    return written


def _message(number: int, name: str) -> bytes:
    facts = [_fact(number, fact) for fact in range(_FACTS)]
    return msgspec.json.encode(
        {
            "id": name,
            "engine": "generated",
            "time": f"2026-03-{1 + number % 28:02d}T12:00:00Z",
            "query": f"How is unit {number} to be kept?",
            "answer": " ".join(fact[0] for fact in facts),
            "facts": [{"text": " ".join(fact), "title": f"Unit {number}"} for fact in facts],
        }
    )


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
