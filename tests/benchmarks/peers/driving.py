"""How scripts go through an archive: one after the other, in threads, in tasks.

An answer whose check fails is left out, as in any script that is to reach its end.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from tests.benchmarks.peers.job import Answer, Job, Row, answers_in, line_of

Check = Callable[[Answer], Row]
AsyncCheck = Callable[[Answer], Awaitable[Row]]


def check_in_loop(job: Job, check: Check) -> None:
    """Check one answer after the other."""
    with job.rows_path.open("wb") as rows:
        checked = map(_tried(check), answers_in(job.archive))
        rows.writelines(line_of(row) for row in checked if row)


def check_in_threads(job: Job, check: Check) -> None:
    """Check in as many threads as calls may be under way."""
    with ThreadPoolExecutor(job.in_flight) as pool, job.rows_path.open("wb") as rows:
        checked = pool.map(_tried(check), answers_in(job.archive))
        rows.writelines(line_of(row) for row in checked if row)


async def check_in_tasks(job: Job, check: AsyncCheck) -> None:
    """Check in as many tasks as calls may be under way, which share what is left of the archive."""
    left = answers_in(job.archive)
    with job.rows_path.open("wb") as rows:

        async def work() -> None:
            for answer in left:
                try:
                    rows.write(line_of(await check(answer)))
                except Exception as error:  # noqa: BLE001 - as in a thread
                    _print_error(answer, error)

        await asyncio.gather(*(work() for _ in range(job.in_flight)))


def _tried(check: Check) -> Callable[[Answer], Row | None]:
    def row_or_none(answer: Answer) -> Row | None:
        try:
            return check(answer)
        except Exception as error:  # noqa: BLE001 - clients raise errors of all their layers
            return _print_error(answer, error)

    return row_or_none


def _print_error(answer: Answer, error: Exception) -> None:
    sys.stderr.write(f"{answer.id}: {type(error).__name__}\n")
