"""A checker that never replies for some answers: whether the worker holds up the others.

    python -m tests.benchmarks.partial_outage [--per_s N] [--seconds N] [--faults F ...]

Answers are published at a steady rate, each with an answer of its own. A checker in another process
takes 100 ms; for a share of the answers, always the same ones, it fails: HTTP 503, no reply at all,
HTTP 403, or what is not JSON. The rate of the others is
that of the records in the files, between the first and the last of them, and is compared with the
rate of the same answers in a run without faults. At the end `groundwatch verify` compares the files
with the ledger. Prints a table in Markdown.
"""

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pipeline.sinks.topic_messages import TopicMessage, build_message
from schemas.quantities import to_us
from tests.benchmarks.made_replies import made_reply
from tests.benchmarks.verification import verification
from tests.benchmarks.watched_worker import (
    SUBSCRIPTION,
    SkippingClock,
    WatchedWorker,
    publish,
    pubsub,
)
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import failures_in, records_in
from tests.support.wire_faults import Exchange, Fault, body, good, status

_LATENCY_S = 0.1
FAILING = "Broken"
"""The first word of an answer that gets no reply."""
_PERCENTS = (1, 10, 25, 30, 60, 90)
_PORTION_S = 0.1
_WARM_UP = 200
_END_WITHIN_S = 600.0
_NO_REPLY_S = 3_600.0
_FEW = 10


async def no_reply(_: Exchange) -> bool:
    """Never answer."""
    await asyncio.sleep(_NO_REPLY_S)
    return False


FAULTS: dict[str, Fault] = {
    "503": status(503, "UNAVAILABLE"),
    "no reply": no_reply,
    "403": status(403, "FORBIDDEN"),
    "not JSON": body(b"<html>"),
}


class Row(NamedTuple):
    """One run."""

    per_s: float
    records: int
    failures: int
    exit_status: int
    verified: str
    failed_within_s: float


def _serve(address: "multiprocessing.SimpleQueue[str]", fault: str) -> None:
    async def answer(exchange: Exchange) -> bool:
        if exchange.asked.startswith(FAILING):
            return await FAULTS[fault](exchange)
        await asyncio.sleep(_LATENCY_S)
        return await good(exchange)

    with FaultServer(always(answer), made_reply) as server:
        address.put(server.address)
        time.sleep(_NO_REPLY_S)


@contextmanager
def checker(fault: str) -> Iterator[str]:
    """Serve a checker in a process of its own, with a fault for answers that begin with FAILING."""
    context = multiprocessing.get_context("spawn")
    address = context.SimpleQueue()
    process = context.Process(target=_serve, args=(address, fault), daemon=True)
    process.start()
    try:
        yield address.get()
    finally:
        process.kill()
        process.join()


def message(number: int, percent: int) -> TopicMessage:
    """Make an answer; the same share of any hundred in a row fails."""
    # Spread over the hundred, so that no time passes without an answer that does not fail.
    fails = number * 37 % 100 < percent
    subject = f"{FAILING} lamp" if fails else "Lamp"
    return build_message(an_envelope(number, answer=f"{subject} {number} glows at night."), {})


def run(fault: str, percent: int, per_s: int, seconds: int, flags: list[str]) -> Row:
    """Publish for a while and wait until every message is acknowledged."""
    count = per_s * seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        pubsub(SkippingClock()) as server,
        checker(fault) as address,
    ):
        output = Path(folder) / "out"
        worker = WatchedWorker(server.address, output, "--checker", address, *flags)
        publish(server.address, (message(number, 0) for number in range(-_WARM_UP, 0)))
        _wait(lambda: not server.counts(SUBSCRIPTION).outstanding)
        started_s = time.monotonic()
        published = 0
        while published < count:
            due = min(count, int((time.monotonic() - started_s + _PORTION_S) * per_s))
            publish(server.address, (message(n, percent) for n in range(published, due)))
            published = due
            time.sleep(_PORTION_S)
        # Traffic goes on, slowly: an answer is given up only while others are answered.
        ended_s = time.monotonic()
        while outstanding := server.counts(SUBSCRIPTION).outstanding:
            publish(server.address, [message(published, 0)])
            published += 1
            # Longer than one takes, so that in the end none is outstanding.
            time.sleep(0.2 if outstanding > _FEW else 2.0)
            if time.monotonic() - ended_s > _END_WITHIN_S:
                break
        failed_within_s = time.monotonic() - ended_s
        exit_status, _ = worker.drain()
        return _row(output, count, exit_status, failed_within_s)


def _row(output: Path, count: int, exit_status: int, failed_within_s: float) -> Row:
    names = {f"answer-{number}" for number in range(count)}
    rows = [row for row in records_in(output) if row["answer_name"] in names]
    times = sorted(to_us(row["check"]["checked_at"]) for row in rows)
    # The middle eight tenths, without start and end.
    first, last = len(times) // 10, len(times) - len(times) // 10 - 1
    per_s = (last - first) / ((times[last] - times[first]) / 1e6)
    return Row(
        per_s=per_s,
        records=len(rows),
        failures=len(failures_in(output)),
        exit_status=exit_status,
        verified=verification(output),
        failed_within_s=failed_within_s,
    )


def _wait(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + _END_WITHIN_S
    while not holds():
        if time.monotonic() > until_s:
            raise SystemExit("the worker does not get on")
        time.sleep(0.05)


def main() -> None:
    """Run every fault at every share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per_s", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--faults", nargs="*", default=list(FAULTS))
    parser.add_argument("--percents", nargs="*", type=int, default=list(_PERCENTS))
    parser.add_argument("--flags", nargs="*", default=[])
    given = parser.parse_args()
    flags = [f"--{flag}" for flag in given.flags]
    base = run("503", 0, given.per_s, given.seconds, flags)
    count = given.per_s * given.seconds
    sys.stdout.write(
        f"{count:,} answers, {given.per_s} a second; without faults {base.per_s:.1f} records/s\n\n"
        "| fault | share | others/s | of their rate without faults | records | failures | last"
        " failure after | status | verified |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
        " ---: | --- |\n"
    )
    for fault in given.faults:
        for percent in given.percents:
            row = run(fault, percent, given.per_s, given.seconds, flags)
            expected = base.per_s * (100 - percent) / 100
            sys.stdout.write(
                f"| {fault} | {percent} % | {row.per_s:.1f} | {row.per_s / expected:.0%} |"
                f" {row.records:,} | {row.failures:,} | {row.failed_within_s:.0f} s |"
                f" {row.exit_status} | {row.verified} |\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
