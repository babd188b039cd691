"""Replies that were broken at random, for the interpreter of replies.

python -m tests.benchmarks.fuzz_replies [--count 100000] [--seed 1]

Takes the recorded replies, breaks each in up to three ways (bytes changed, cut, repeated,
joined with another's, values of JSON swapped), and prints what became of them. Anything raised
other than CheckFailed ends it with status 1.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from schemas.wire.grounding_check import CheckRequest
from transforms.grounding.errors import CheckFailed
from transforms.grounding.protocol import interpret_reply

_REPLIES = Path(__file__).parents[1] / "data" / "replies"
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_STATUSES = (200,) * 12 + (204, 302, 400, 401, 403, 404, 408, 413, 429, 500, 503)
_VALUES = (b"null", b"-1", b"1e999", b"NaN", b'"x"', b"[]", b"{}", b"true", b"0.5", b"99999999999")
_RETRY_AFTER = (None, "1", "-1", "soon", "Wed, 21 Oct 2076 07:28:00 GMT", "9" * 400, "\u0663")

Break = Callable[[random.Random, bytes, bytes], bytes]


def _change(chance: random.Random, reply: bytes, _: bytes) -> bytes:
    at = chance.randrange(len(reply) + 1)
    return reply[:at] + chance.randbytes(chance.randrange(4)) + reply[at + chance.randrange(4) :]


def _cut(chance: random.Random, reply: bytes, _: bytes) -> bytes:
    return reply[: chance.randrange(len(reply) + 1)]


def _repeat(chance: random.Random, reply: bytes, _: bytes) -> bytes:
    start = chance.randrange(len(reply) + 1)
    end = start + chance.randrange(40)
    return reply[:end] + reply[start:]


def _join(chance: random.Random, reply: bytes, other: bytes) -> bytes:
    return reply[: chance.randrange(len(reply) + 1)] + other[chance.randrange(len(other) + 1) :]


def _swap(chance: random.Random, reply: bytes, _: bytes) -> bytes:
    colons = [at for at, byte in enumerate(reply) if byte == ord(":")]
    if not colons:
        return reply
    at = chance.choice(colons) + 1
    end = min((reply.find(mark, at) for mark in b",}]" if mark in reply[at:]), default=at)
    return reply[:at] + chance.choice(_VALUES) + reply[end:]


_BREAKS: tuple[Break, ...] = (_change, _cut, _repeat, _join, _swap)


def _recorded() -> list[tuple[bytes, CheckRequest]]:
    cases = []
    for folder in sorted(_REPLIES.iterdir()):
        request = msgspec.json.decode((folder / "request.json").read_bytes(), type=CheckRequest)
        cases.extend((path.read_bytes(), request) for path in folder.glob("reply.*"))
    return cases


def main(arguments: list[str] | None = None) -> int:
    """Break, interpret, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    chance, cases, outcomes = random.Random(options.seed), _recorded(), Counter[str]()  # noqa: S311
    for _ in range(options.count):
        reply, request = chance.choice(cases)
        for change in chance.choices(_BREAKS, k=chance.randrange(4)):
            reply = change(chance, reply, chance.choice(cases)[0])
        status, retry_after = chance.choice(_STATUSES), chance.choice(_RETRY_AFTER)
        try:
            interpret_reply(status, retry_after, reply, request, _NOW)
            outcomes["a valid reply"] += 1
        except CheckFailed as error:
            outcomes[type(error).__name__] += 1
    sys.stdout.write(f"{options.count} replies, nothing uncaught: {dict(outcomes)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
