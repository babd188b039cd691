"""Where a backfill's processor time goes, step by step.

    python -m tests.benchmarks.backfill_profile --answers 20000
    python -m tests.benchmarks.backfill_profile --answers 20000 --server

Backfills generated answers of about 3 KB in one process, with the embedded checker or against
`groundwatch serve-checker`, while py-spy (the extra `profile`) looks some hundred times a second
which thread of the processes runs Python, and where. Each look goes to the innermost frame that
says what is done. The baseline of the ratios is the checks themselves: the client, and the checker
in its process. What is done without Python's lock (compression of large parts, waiting)
is not seen.
"""

import argparse
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.generated_answers import write_archive

_PLACES = (
    ("checks: embedded checker", ("transforms/grounding/local/", "transforms/lexical/")),
    ("checks: client", ("transforms/grounding/", "transforms/check_grounding", "httpx/")),
    ("parsing", ("transforms/parse_answers", "transforms/formats/")),
    ("tagging", ("transforms/tag_answers", "transforms/rules/tagging")),
    ("writing", ("pipeline/sinks/", "launch/engine/journal", "launch/engine/publisher")),
    ("reading", ("pipeline/sources/",)),
    ("routing, deduplicating", ("transforms/route", "transforms/dedup", "transforms/persistence/")),
    ("rates, alerts, samples", ("transforms/measure_", "transforms/select_", "transforms/sample_")),
    ("report", ("launch/results/report/",)),
    ("coding, and Beam itself", ("DataInputOperation.process_encoded",)),
)
"""How a part of a run is detected: by a piece of some frame, "function (file:line)"."""

_OTHER = "start, plan and end"
_STEPS = ("parsing", "coding, and Beam itself", "tagging", "writing")
_SERVER = "checks: server"
_GROUNDWATCH = (sys.executable, "-m", "groundwatch")
_SILENT: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def part_of(stack: str) -> str:
    """Return what a stack of frames does: "outermost (file:line);…;innermost (file:line)"."""
    for frame in reversed(stack.split(";")):
        for part, pieces in _PLACES:
            if any(piece in frame for piece in pieces):
                return part
    return _OTHER


def looks_by_part(folded: Iterable[str]) -> Counter[str]:
    """Count py-spy's looks by part; each line is a stack, a space and a count."""
    looks: Counter[str] = Counter()
    for line in folded:
        stack, _, count = line.rpartition(" ")
        looks[part_of(stack)] += int(count)
    return looks


def profiled(folder: Path, flags: Iterable[str]) -> Counter[str]:
    """Backfill the answers of a folder under py-spy's eyes; returns its looks by part."""
    files = ["--input", str(folder / "answers.jsonl"), "--output", str(folder / "out")]
    command = [*_GROUNDWATCH, "backfill", *files, "--again", "--workers", "1", *flags]
    looks = folder / "looks"
    subprocess.run([*_looking(looks), "--", *command], check=True, **_SILENT)  # noqa: S603 - our own
    with looks.open(encoding="utf-8") as lines:
        return looks_by_part(lines)


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, Counter[str]]]:
    """Serve the checker under py-spy's eyes; its looks are there when the block has ended."""
    looks, found = folder / "looks at the server", Counter[str]()
    command = [*_GROUNDWATCH, "serve-checker", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        address = server.stdout.readline().split()[-1] if server.stdout else ""
        spy = subprocess.Popen([*_looking(looks), "--pid", str(server.pid)], **_SILENT)  # noqa: S603
        try:
            yield address, found
        finally:
            server.terminate()
            spy.wait()
    with looks.open(encoding="utf-8") as lines:
        found[_SERVER] = looks_by_part(lines).total()


def _looking(looks: Path) -> list[str]:
    spy = Path(sysconfig.get_path("scripts")) / "py-spy"
    return [str(spy), "record", "--gil", "--rate", "250", "--format", "raw", "--output", str(looks)]


def table(looks: Counter[str]) -> str:
    """The parts as a table in Markdown, each with its ratio to the checks."""
    checks = sum(count for part, count in looks.items() if part.startswith("checks"))
    steps = sum(looks[part] for part in _STEPS)
    rows = [*looks.most_common(), (", ".join(_STEPS), steps)]
    head = "| part | of all | of the checks |\n| --- | --- | --- |\n"
    return head + "".join(
        f"| {part} | {count / looks.total():.1%} | {count / checks:.1%} |\n" for part, count in rows
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the share of each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--server", action="store_true", help="check by groundwatch's server")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_archive(folder / "answers.jsonl", options.answers)
        if options.server:
            with served(folder) as (address, at_server):
                looks = profiled(folder, ["--checker", address])
            looks += at_server
        else:
            looks = profiled(folder, [])
        sys.stdout.write(table(looks))


if __name__ == "__main__":
    main()
