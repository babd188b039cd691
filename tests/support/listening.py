"""`groundwatch watch --listen` in a process of its own."""

import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Self

import httpx

from tests.support.commands import GROUNDWATCH, ChildProcess, start
from tests.support.waiting import wait_until
from tests.support.watched import ledger_of, total

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


class Listening:
    """A worker that receives by HTTP.

    Attributes:
      address: where.
      log: its lines, with the time at which each came, by the monotonic clock.
    """

    def __init__(self, output: Path, *flags: str) -> None:
        self.output = output
        places = ["--listen", "0", "--output", str(output), "--run_id", "posts"]
        self.process: ChildProcess = start(*GROUNDWATCH, "watch", *places, *flags)
        self.log: list[tuple[float, str]] = []
        # A pipe that nobody reads would stop the worker.
        self._reader = Thread(target=self._read)
        self._reader.start()
        wait_until(lambda: self.process.poll() is not None or "receives" in self.text)
        assert self.process.poll() is None, self.text
        [self.address, *_] = _ADDRESS.findall(self.text)

    @property
    def text(self) -> str:
        """All lines of the log."""
        return "".join(line for _, line in self.log)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append((time.monotonic(), line))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *given: object) -> None:
        self.process.__exit__(*given)

    @property
    def accounts(self) -> dict[str, int]:
        """What the worker has finished."""
        return total(ledger_of(next(self.output.glob(".groundwatch-*"))))

    def post(self, path: str, content: bytes) -> int:
        """Post a body; return the status, 0 if the worker is away."""
        try:
            return httpx.post(self.address + path, content=content, timeout=30).status_code
        except httpx.HTTPError:
            return 0

    def end(self, expected: int = 0) -> str:
        """Ask for the end, with a status; return what was logged."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(120)
        self._reader.join()
        assert status == expected, self.text
        return self.text


def is_waiting_in(output: Path) -> bool:
    """Whether a posted message has no durable outcome."""
    [path] = output.glob(".groundwatch-*/run.sqlite")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reading:
        return bool(reading.execute("SELECT 1 FROM posted LIMIT 1").fetchall())
