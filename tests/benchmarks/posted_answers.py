"""How many posts a second a worker takes, how soon their alerts come, and what kills do to them.

    python -m tests.benchmarks.posted_answers [--posts N] [--kills N] [--per_s N]

One answer of 3 KB in each post to /answers, checked by words alone. First a backlog over 16
connections: the rate of the replies, and of finished answers. Then posts at a steady rate, every
fifth with a sentence that is made up: from the post to the line of its alert in the log. Then posts
of which a tenth comes twice, while the worker is killed again and again: the files are compared
with what was posted. `watch_throughput` measures a subscription. Prints lines of Markdown.
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.benchmarks import watch_latency
from tests.benchmarks.generated_answers import generated_messages
from tests.support.listening import Listening, is_waiting_in
from tests.support.outputs import record_ids_in
from tests.support.waiting import wait_until

_CONNECTIONS = 16
_ACCEPTED = 202
_REPEAT_EVERY = 10
_DONE_WITHIN_S = 600.0


def post_all(worker: Listening, bodies: Sequence[bytes]) -> Iterator[bool]:
    """Post each body over kept connections; yields in their order whether it was accepted."""
    clients = threading.local()

    def post(body: bytes) -> bool:
        if not hasattr(clients, "own"):
            clients.own = httpx.Client(base_url=worker.address, timeout=30)
        while True:
            try:
                reply = clients.own.post("/answers", content=body)
            except httpx.HTTPError:
                return False
            if reply.status_code != 429:
                return bool(reply.status_code == _ACCEPTED)
            time.sleep(0.1)

    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        yield from threads.map(post, bodies)


def measure_rate(output: Path, bodies: Sequence[bytes]) -> tuple[float, float]:
    """Return the accepted posts, and the finished answers, a second."""
    with Listening(output, "--scorer", "none") as worker:
        started_s = time.monotonic()
        assert all(post_all(worker, bodies))
        posted_s = time.monotonic() - started_s
        wait_until(lambda: not is_waiting_in(output), _DONE_WITHIN_S)
        done_s = time.monotonic() - started_s
        worker.end()
    return len(bodies) / posted_s, len(bodies) / done_s


def measure_latency(output: Path, bodies: Sequence[bytes], per_s: int) -> list[float]:
    """Return the seconds from each post to its alert."""
    posted_s: dict[str, float] = {}
    with Listening(output, "--scorer", "none") as worker:
        started_s = time.monotonic()
        with httpx.Client(base_url=worker.address) as client:
            for number, body in enumerate(bodies):
                time.sleep(max(0.0, started_s + number / per_s - time.monotonic()))
                if number % 5 == 0:
                    posted_s[watch_latency.record_id(body)] = time.monotonic()
                client.post("/answers", content=body).raise_for_status()
        wait_until(lambda: not is_waiting_in(output))
        worker.end()
    alerted_s: dict[str, float] = {}
    for at_s, line in worker.log:
        if line.startswith("{") and (name := json.loads(line).get("record_id")):
            alerted_s.setdefault(name, at_s)
    return [alerted_s[name] - at_s for name, at_s in posted_s.items()]


def measure_kills(output: Path, bodies: Sequence[bytes], kills: int) -> tuple[int, int, int]:
    """Return how many posts were made, and how many answers are lost, and doubled, in the files."""
    todo = [body for number, body in enumerate(bodies) for _ in range(1 + (number % 10 == 0))]
    posts, share = len(todo), len(todo) // (kills + 1)
    for _ in range(kills):
        with Listening(output, "--scorer", "none") as worker:
            sent = post_all(worker, todo[:share])
            accepted = list(itertools.islice(sent, share * 3 // 4))
            worker.process.kill()
            accepted += sent
        failed = [body for body, is_kept in zip(todo, accepted, strict=False) if not is_kept]
        todo = failed + todo[share:]
    with Listening(output, "--scorer", "none") as worker:
        while todo:
            todo = [
                body
                for body, is_kept in zip(todo, post_all(worker, todo), strict=True)
                if not is_kept
            ]
        wait_until(lambda: not is_waiting_in(output), _DONE_WITHIN_S)
        worker.end()
    ids = record_ids_in(output)
    return posts, len(bodies) - len({*ids}), len(ids) - len({*ids})


def main() -> None:
    """Measure the rates, the latency, and the kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--per_s", type=int, default=50, help="posts a second, for the latency")
    parser.add_argument("--seconds", type=int, default=20, help="how long to post at that rate")
    given = parser.parse_args()
    bodies = [*itertools.islice(generated_messages(given.posts), given.posts)]
    with tempfile.TemporaryDirectory() as folder:
        accepted, finished = measure_rate(Path(folder) / "out", bodies)
    sys.stdout.write(
        f"| {len(bodies):,} posts | {accepted:,.0f} accepted, {finished:,.0f} finished a second |\n"
    )
    answers = watch_latency.answers(given.per_s * given.seconds)
    with tempfile.TemporaryDirectory() as folder:
        found_s = measure_latency(Path(folder) / "out", answers, given.per_s)
    cuts_s = statistics.quantiles(found_s, n=100)
    at = f"post to alert at {given.per_s}/s"
    sys.stdout.write(f"| {at} | p50 {cuts_s[49]:.2f} s, p95 {cuts_s[94]:.2f} s |\n")
    with tempfile.TemporaryDirectory() as folder:
        posts, lost, doubled = measure_kills(Path(folder) / "out", bodies, given.kills)
    sys.stdout.write(
        f"| {posts:,} posts with {given.kills} kills | {lost} lost, {doubled} doubled |\n"
    )


if __name__ == "__main__":
    main()
