"""Find out how many processors and how much memory this process may use."""

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path

_OWN_CGROUPS = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")


def usable_processors() -> int:
    """Return their number, at least 1: those of its affinity, or fewer by a container's quota.

    A part of a processor counts as one. Where the system does not say, it is that of the machine.
    """
    # macOS has no affinity.
    affinity = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    counted = len(affinity) if affinity else os.cpu_count() or 1
    return min(counted, *map(ceil, _processor_quotas()), counted)


def usable_memory() -> int:
    """Return the bytes of the machine's memory, or of a container's limit."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = (
        int(text)
        for folder in _cgroups("memory")
        for name in ("memory.max", "memory.limit_in_bytes")
        if (text := _read(folder / name)).isdecimal()
    )
    return min(whole, *limits, whole)


def _processor_quotas() -> Iterator[float]:
    for folder in _cgroups("cpu"):
        in_v1 = (_read(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        for quota, _, period in (
            _read(folder / "cpu.max").partition(" "),
            " ".join(in_v1).partition(" "),
        ):
            # Without a quota it is "max", or -1.
            if quota.isdecimal() and period.isdecimal() and int(period):
                yield max(1, int(quota)) / int(period)


def _cgroups(controller: str) -> Iterator[Path]:
    """Find the folders of this process' control groups and of those around them.

    A container may see its own group as the root, whatever path the process names.
    """
    for line in _read(_OWN_CGROUPS).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        root = _CGROUPS / controller if controllers else _CGROUPS  # version 1, or 2
        folder = root / path.lstrip("/")
        yield from (each for each in (folder, *folder.parents) if each.is_relative_to(root))


def _read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8").strip()
    return ""
