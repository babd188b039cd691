"""How messages of each format are read, against the marked words that they were made of.

python -m tests.benchmarks.format_differences [--messages 10000] [--seed 1] [--format NAME]

Makes messages with text, facts and a question in every place that a format has for them, and
prints for each format how many are read otherwise; with --format also what. Exit status 1: there
are some.
"""

import argparse
import json
import sys
from collections.abc import Iterator

from tests.support.made_messages.formats import MAKERS, find_differences

_SHOWN = 5


def _differing(name: str, messages: int, seed: int) -> Iterator[str]:
    for number in range(messages):
        value, found = find_differences(name, number, seed)
        if found:
            yield f"{json.dumps(value, ensure_ascii=False)}\n  " + "\n  ".join(found)


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=MAKERS)
    options = parser.parse_args(arguments)
    total = 0
    for name in [options.format] if options.format else MAKERS:
        found = list(_differing(name, options.messages, options.seed))
        total += len(found)
        sys.stdout.write(f"{name}: {options.messages} messages, {len(found)} differences\n")
        if options.format:
            sys.stdout.writelines(f"{each}\n" for each in found[:_SHOWN])
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    main()
