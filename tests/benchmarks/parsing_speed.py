"""How fast messages are read on one core.

python -m tests.benchmarks.parsing_speed --messages FILE.jsonl
"""

import argparse
import sys
import time
from pathlib import Path

from schemas.message import Message
from transforms.formats.parser import parse_answers


def _seconds(messages: list[Message]) -> float:
    started = time.perf_counter()
    for message in messages:
        for _ in parse_answers(message):
            pass
    return time.perf_counter() - started


def main(arguments: list[str] | None = None) -> None:
    """Print the mean size of the messages and the time each takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=Path, required=True, help="any input format, JSONL")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    lines = options.messages.read_bytes().splitlines()
    messages = [Message(payload=line, place=str(number)) for number, line in enumerate(lines, 1)]
    fastest = min(_seconds(messages) for _ in range(options.rounds))
    mean_bytes = sum(map(len, lines)) / len(lines)
    sys.stdout.write(
        f"{len(messages)} messages of {mean_bytes:,.0f} bytes: "
        f"{fastest / len(messages) * 1e6:.1f} us each\n"
    )


if __name__ == "__main__":
    main()
