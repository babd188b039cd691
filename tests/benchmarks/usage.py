"""What a command takes: time, processor time, memory.

It is run by a process that is small itself, since the system counts as a command's peak memory
also what its parent had when it was started.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

_TIMED_OUT = 124


class Usage(NamedTuple):
    """What a command took, with all processes it started and waited for.

    Attributes:
      status: its exit status; 124 if it was ended for taking too long.
      seconds: from its start to its end.
      cpu_s: processor time, user and system.
      peak_mb: the most memory that its largest process held.
    """

    status: int
    seconds: float
    cpu_s: float
    peak_mb: float


def usage_of(command: Sequence[str], within_s: float) -> Usage:
    """Run a command to its end, whatever it says.

    Args:
      command: the program and its arguments.
      within_s: seconds after which it is killed.
    """
    measured = [sys.executable, __file__, str(within_s), *command]
    done = subprocess.run(  # noqa: S603 - our own source
        measured, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return Usage(**json.loads(done.stdout))


def _measured(within_s: float, command: list[str]) -> Usage:
    started_s = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - our own source
            command, check=False, stdout=subprocess.DEVNULL, timeout=within_s
        )
        status = done.returncode
    except subprocess.TimeoutExpired:
        status = _TIMED_OUT
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Usage(
        status=status,
        seconds=time.monotonic() - started_s,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=used.ru_maxrss / 1024,
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measured(float(sys.argv[1]), sys.argv[2:])._asdict()))
