"""What a command imports: Beam and Google's clients take more than a second to import."""

import ctypes
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from groundwatch.launch.cli.beam_options import _Parser
from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.placement import beam_flag_names
from groundwatch.launch.engine.engine_database import EngineDatabase
from tests.support.reports import a_low, write_enriched

_HELP_WITHIN_S = 0.3
_MORE_ATTEMPTS = 3
_PROGRAM = """
import json, sys, time
from groundwatch.launch.cli.main import main

ended = []
for line in sys.argv[1:]:
    status = main(line.split())
    ended.append([line, status, sorted(sys.modules)])
sys.stdout.flush()
sys.stderr.write("\\n" + json.dumps([ended, time.process_time()]))
"""
# Empty packages, and a module that imports `re` alone.
_LIGHT = {
    *("google", "google.cloud", "groundwatch.transforms.lexical"),
    *(f"groundwatch.transforms.lexical.{name}" for name in ("reading", "reading.reasoning")),
}
_CLIENTS = frozenset({"apache_beam", "google", "grpc"})
_HEAVY = _CLIENTS | {"aiohttp", "jinja2", "rich", "groundwatch.transforms.lexical"}


def heavy_of(modules: list[str], roots: frozenset[str]) -> list[str]:
    """Return the modules that are in the packages that take long."""
    return [
        name
        for name in modules
        if name not in _LIGHT and any(f"{name}.".startswith(f"{root}.") for root in roots)
    ]


class Ended(NamedTuple):
    """How one of several commands ended, and what it and those before it had imported."""

    command: str
    status: int
    heavy: list[str]


def start_in_turn(
    commands: Iterable[str], roots: frozenset[str] = _CLIENTS
) -> tuple[list[Ended], float]:
    """Run commands in turn in one fresh interpreter; also return its processor time in seconds."""
    program = [sys.executable, "-c", _PROGRAM, *commands]
    printed = subprocess.run(  # noqa: S603 - our own source
        program, capture_output=True, text=True, check=True
    )
    results, cpu_s = json.loads(printed.stderr.splitlines()[-1])
    return [Ended(line, status, heavy_of(names, roots)) for line, status, names in results], cpu_s


COMMANDS = [*all_commands(), "watch --demo", "watch --runner=DataflowRunner"]


def test_help_imports_nothing_that_takes_long_and_is_quick() -> None:
    lines = ["--help", *(f"{command} --help" for command in COMMANDS)]
    shown, cpu_s = start_in_turn(lines, _HEAVY)
    assert shown == [Ended(line, 0, []) for line in lines]
    # A busy machine may be slow once.
    again = (start_in_turn(lines)[1] for _ in range(_MORE_ATTEMPTS))
    assert cpu_s < _HELP_WITHIN_S or min(again) < _HELP_WITHIN_S


def test_what_is_refused_imports_neither_beam_nor_clients(tmp_path: Path) -> None:
    output = tmp_path / "file" / "out"  # which cannot be written
    output.parent.touch()
    writing = ("backfill", "estimate", "replay", "watch", "watch --demo")
    refused = [f"{command} --bogus 5" for command in COMMANDS]
    refused += [f"{command} --output {output}" for command in writing]
    assert start_in_turn(refused)[0] == [Ended(line, 2, []) for line in refused]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an output folder with records, labels, an archive and the journal of a worker."""
    folder = tmp_path_factory.mktemp("output")
    records = [a_low(record_id=letter * 64) for letter in "ab"]
    write_enriched(folder, records)
    labels = ({"name": each.record_id, "hallucinated": each is records[0]} for each in records)
    envelope = {"id": "a", "answer": "Lamps glow.", "facts": ["Lamps glow."]}
    (folder / "answers.jsonl").write_text(json.dumps(envelope) + "\n")
    (folder / "gold.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    EngineDatabase.owned(str(folder / ".groundwatch-r1")).close()
    return folder


def test_a_command_that_needs_no_pipeline_imports_neither(output: Path) -> None:
    statuses = {
        f"verify {output}": 1,
        f"report {output}": 0,
        f"evaluate --answers {output}/enriched/*/*.avro --gold {output}/gold.jsonl"
        " --resamples 20": 0,
        f"show aaaa {output}": 0,
        f"inspect {output}/answers.jsonl": 0,
        "check --answer Lamps --fact Lamps": 0,
        f"estimate --input {output}/answers.jsonl": 0,
    }
    assert start_in_turn(statuses)[0] == [Ended(line, statuses[line], []) for line in statuses]


def test_all_flags_of_beam_are_known_without_an_import() -> None:
    flags = {flag for action in _Parser()._actions for flag in action.option_strings}
    flags -= {"-h", "--help"}  # every command has its own
    # Its examples have another one.
    assert {flag.removeprefix("--") for flag in flags} | {"xyz"} <= set(beam_flag_names())


_THREADS_ALLOCATE = """
import ctypes, sys, threading
import groundwatch.launch

def allocate():
    kept.append(ctypes.create_string_buffer(100_000))
    together.wait()

kept, together = [], threading.Barrier(4)
threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w")))
libc.fflush(None)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="needs glibc")
def test_all_threads_of_a_process_share_one_heap() -> None:
    ended = subprocess.run(  # noqa: S603 - our own source
        [sys.executable, "-c", _THREADS_ALLOCATE], capture_output=True, text=True, check=True
    )
    assert ended.stdout.count("<heap nr=") == 1
