"""`groundwatch watch` in a process of its own."""

import json
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self

from groundwatch.launch.engine.journal import LedgerHour
from tests.support.commands import GROUNDWATCH, start
from tests.support.journals import read_journal
from tests.support.limits import LIMITED
from tests.support.outputs import Json
from tests.support.waiting import wait_until
from tests.support.watched import ledger_of

START_WITHIN_S = 120.0
END_WITHIN_S = 120.0


class WatchProcess:
    """A worker over an output; whoever enters it waits until it has begun to read.

    Args:
      address: of the Pub/Sub server.
      subscription: its full name.
      output: the folder.
      flags: further ones.
      limits: smaller ones than users have, such as batch_messages=20.
    """

    def __init__(
        self, address: str, subscription: str, output: Path, *flags: str, limits: Sequence[str] = ()
    ) -> None:
        self.output = output
        places = ["--subscription", subscription, "--output", str(output)]
        # No preparation: a fork would not do beside gRPC's threads.
        places += ["--pubsub_address", address]
        program = (*LIMITED, *limits, "--") if limits else GROUNDWATCH
        self.process = start(*program, "watch", *places, *flags)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.__exit__(None, None, None)

    def wait_for(self, holds: Callable[[], object]) -> None:
        """Wait until a condition holds, or the process ends, which is a fault."""

        def holds_or_fails() -> object:
            assert self.process.poll() is None, self.process.communicate()
            return holds()

        wait_until(holds_or_fails, START_WITHIN_S)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, list[Json]]:
        """Ask for its end; returns the exit status and the lines of its log."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, list[Json]]:
        """Wait for its end; returns the exit status and the lines of its log."""
        _, log = self.process.communicate(timeout=END_WITHIN_S)
        lines = (line for line in log.splitlines() if line.startswith("{"))
        return self.process.returncode, [json.loads(line) for line in lines]


def ledger_in(output: Path) -> list[LedgerHour]:
    """The accounts of all hours of the one worker that wrote there; none before it has begun."""
    return [hour for folder in output.glob(".groundwatch-*") for hour in ledger_of(folder)]


def alerts_delivered_in(output: Path) -> int:
    """How many alerts the worker knows that its topic has: an answer may still be on its way."""
    [folder] = output.glob(".groundwatch-*")
    with closing(read_journal(folder)) as journal:
        return journal.published_to_topics()["alerts"]
