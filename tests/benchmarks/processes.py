"""Measure running processes with Linux' /proc."""

import os
from pathlib import Path

from groundwatch.schemas import Record

_TICKS_A_S = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


class Footprint(Record, frozen=True, kw_only=True):
    """What a process takes: processor time so far, most memory so far, the rest at this moment."""

    cpu_s: float
    rss_mb: float
    peak_mb: float
    open_files: int
    threads: int


def footprint_of(process_id: int) -> Footprint:
    """Read what a process takes.

    Raises:
      OSError: it has ended.
    """
    proc = Path(f"/proc/{process_id}")
    fields = (proc / "stat").read_text().rpartition(")")[2].split()
    _, found, peak_kb = (proc / "status").read_text().partition("VmHWM:")
    if not found:
        raise ProcessLookupError(process_id)
    return Footprint(
        cpu_s=(int(fields[11]) + int(fields[12])) / _TICKS_A_S,
        rss_mb=int(fields[21]) * _PAGE_MB,
        peak_mb=int(peak_kb.split(maxsplit=1)[0]) / 1024,
        open_files=len(list((proc / "fd").iterdir())),
        threads=int(fields[17]),
    )


def family_of(process_id: int) -> list[int]:
    """A process and all that it started, and they started; those that have ended are missing."""
    family = [process_id]
    for process in family:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                family += map(int, task.read_text().split())
            except OSError:
                continue
    return family
