"""A review that is served on a thread."""

import json
import signal
import sys
from asyncio import SelectorEventLoop
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.quality.review import serve_review
from tests.support.waiting import wait_until


@contextmanager
def served(folder: Path, *flags: str, is_empty: bool = False) -> Iterator[str]:
    """Serve a folder until it is interrupted; yield the address when its answers are there."""
    command = ["review", str(folder), "--port", "0", "--labeller", "ada"]
    command += ["--labels", str(folder.parent / "labels.jsonl"), *flags]
    printed, interrupts = StringIO(), dict[int, Callable[[], object]]()

    def keep_handler(loop: SelectorEventLoop, number: int, handle: Callable[[], object]) -> None:
        """Python takes handlers of signals in its first thread only."""
        interrupts[number] = lambda: loop.call_soon_threadsafe(handle)

    with ThreadPoolExecutor(1) as beside:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_CACHE_HOME", str(folder.parent / "cache"))
            patched.setattr(SelectorEventLoop, "add_signal_handler", keep_handler)
            streams = SimpleNamespace(stdout=printed, stderr=sys.stderr)
            patched.setattr(serve_review, "sys", streams)
            status = beside.submit(main, command)
            wait_until(lambda: "\n" in printed.getvalue() or status.done())
        address = printed.getvalue().partition("\n")[0]
        try:
            wait_until(lambda: "still to be read" not in httpx.get(address).text)
            wait_until(lambda: is_empty or " of 0 answers" not in httpx.get(address).text)
            yield address
        finally:
            interrupts[signal.SIGINT]()
            assert status.result(60) == 0


def labels_in(folder: Path) -> list[dict[str, object]]:
    """The decisions in the file of labels beside a folder."""
    lines = (folder.parent / "labels.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
