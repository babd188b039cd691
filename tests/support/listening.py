"""`groundwatch watch --listen` in a process of its own."""

import re
import signal
import sqlite3
from pathlib import Path
from typing import Self

import httpx

from tests.support.commands import GROUNDWATCH, ChildProcess, start
from tests.support.watched import ledger_of, total

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


class Listening:
    """A worker that receives by HTTP; `address` is where."""

    def __init__(self, output: Path, *flags: str) -> None:
        self.output = output
        places = ["--listen", "0", "--output", str(output), "--run_id", "posts"]
        self.process: ChildProcess = start(*GROUNDWATCH, "watch", *places, *flags)
        assert self.process.stderr is not None
        self.log: list[str] = []
        while "receives" not in "".join(self.log):
            self.log.append(self.process.stderr.readline())
            assert self.log[-1], self.log
        self.address = _ADDRESS.findall(self.log[-1])[0]

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

    def end(self) -> str:
        """Ask for the end; return what was logged."""
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, log
        return "".join(self.log) + log


def waiting_in(output: Path) -> int:
    """How many posted messages have no durable outcome."""
    [path] = output.glob(".groundwatch-*/run.sqlite")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reading:
        [(count,)] = reading.execute("SELECT count(*) FROM posted")
    return int(count)
