"""Take the options of the tests, say at their start what they will skip, and choose a disk."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.browser import ABSENT, find_chromium
from tests.support.file_systems import NO_SECOND_FILE_SYSTEM, other_file_system, write_to_memory
from tests.support.flink.cluster import missing_for_flink
from tests.support.optional_tools import lacking
from tests.support.pubsub_servers import find_emulator

# Every run draws the same examples, so that a failure is due to the change; `make explore` draws
# others. A deadline measures the machine, not the code.
settings.register_profile("groundwatch", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile("groundwatch")
write_to_memory()
# Under nohup, or behind a shell's `&`, workers of the tests would inherit that these are ignored.
_HANDLERS = {signal.SIGHUP: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
for _number, _handler in _HANDLERS.items():
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the path of Google's Pub/Sub emulator."""
    parser.addoption(
        "--pubsub-emulator",
        metavar="PATH",
        help="Google's Pub/Sub emulator, to run its tests against, too; looked for on PATH and"
        " beside gcloud by default; 'none' goes without",
    )


def pytest_xdist_auto_num_workers() -> int:
    """Return two more than there are cores: the tests wait for a third of their time."""
    return (os.cpu_count() or 1) + 2


def pytest_report_header(config: pytest.Config) -> list[str]:
    """List what this machine lacks, and the tests that are therefore skipped."""
    lacking = [f"will skip: {reason}" for reason in _missing(config)]
    return lacking or ["will skip: nothing"]


def _missing(config: pytest.Config) -> Iterator[str]:
    if find_chromium() is None:
        yield f"tests/launch/results/report/test_in_a_browser.py ({ABSENT})"
    if missing := missing_for_flink():
        yield f"tests/launch/deploy/flink/test_running_on_flink.py ({missing})"
    if not find_emulator(config.getoption("--pubsub-emulator")):
        yield "tests against Google's Pub/Sub emulator (no emulator was found)"
    yield from lacking()
    if other_file_system(Path(tempfile.gettempdir())) is None:
        yield f"publication from another file system ({NO_SECOND_FILE_SYSTEM})"
