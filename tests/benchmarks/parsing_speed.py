"""How many messages a second are parsed, beside a baseline's number in the same run.

    python -m tests.benchmarks.parsing_speed --baseline CHECKOUT

The messages are the examples of docs/formats.md and rows of all presets, as they are
and with facts of the usual length; a baseline is a folder with the sources of another version. The
versions take turns, in processes of their own. Prints each format's ratio, and that of all.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.version_worker import VersionWorker
from tests.support.formats_page import EXAMPLES
from tests.support.repository import ROOT
from tests.transforms.formats.field_maps.test_presets import FACTS, SHAPES

_COPIES = 150
_LONG = (
    "Lamps glow. " + "The cylinder head gasket seals the head against the block of the engine. " * 8
)
_WORKER = """
import sys, time
from pathlib import Path
from groundwatch.schemas.message import Message
from groundwatch.transforms.formats.parser import parse_answers
for line in sys.stdin:
    messages = [
        Message(payload=payload, place=f"a#{number}")
        for number, payload in enumerate(Path(line.strip()).read_bytes().splitlines())
    ]
    started_s = time.process_time()
    for message in messages:
        list(parse_answers(message))
    print((time.process_time() - started_s) / len(messages), flush=True)
"""


def _examples() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    rows = {name: json.dumps(shape.row) for name, shape in SHAPES.items()}
    for name, short in (EXAMPLES | rows).items():
        long = short.replace("Lamps glow.", _LONG.strip()).replace(FACTS[0], _LONG.strip())
        found[name] = "\n".join([short, long] * _COPIES).encode()
    return found


def _measure(workers: Sequence[VersionWorker], messages: bytes, rounds: int) -> list[float]:
    """Return the least time of each worker, after one round that fills the caches."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messages.jsonl"
        path.write_bytes(messages)
        taken = [[float(worker.process(path)) for worker in workers] for _ in range(rounds + 1)]
    return [min(times) for times in zip(*taken[1:], strict=True)]


def main(arguments: list[str] | None = None) -> None:
    """Print messages a second for each format, and the ratio to the baseline."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--baseline", type=Path, required=True, help="a folder with a version")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args(arguments)
    workers = [VersionWorker(each.resolve(), _WORKER) for each in (ROOT, options.baseline)]
    totals = [0.0, 0.0]
    for name, messages in _examples().items():
        ours, theirs = _measure(workers, messages, options.rounds)
        totals = [totals[0] + ours, totals[1] + theirs]
        sys.stdout.write(f"{name}: {1 / ours:,.0f} a second, x{theirs / ours:.2f}\n")
    for worker in workers:
        worker.close()
    sys.stdout.write(f"all: x{totals[1] / totals[0]:.3f} of the baseline\n")


if __name__ == "__main__":
    main()
