"""How many processors and how much memory are found where a container limits them."""

import os
from pathlib import Path

import pytest

from groundwatch.transforms.runtime import processors
from groundwatch.transforms.runtime.processors import usable_memory, usable_processors

_GB = 1_000_000_000
# By a case: /proc/self/cgroup, files below /sys/fs/cgroup, the processors of the affinity, those
# that are found.
LIMITED: dict[str, tuple[str, dict[str, str], int, int]] = {
    "nothing is known": ("", {}, 8, 8),
    "version 2, a quota": ("0::/\n", {"cpu.max": "200000 100000\n"}, 8, 2),
    "version 2, a part of a processor": ("0::/\n", {"cpu.max": "150000 100000\n"}, 8, 2),
    "version 2, less than one": ("0::/\n", {"cpu.max": "1000 100000\n"}, 8, 1),
    "version 2, no quota": ("0::/\n", {"cpu.max": "max 100000\n"}, 8, 8),
    "version 2, a group around it": (
        "0::/pod/container\n",
        {"pod/cpu.max": "300000 100000\n", "pod/container/cpu.max": "max 100000\n"},
        8,
        3,
    ),
    "version 2, a path outside of the container": (
        "0::/../other\n",
        {"cpu.max": "100000 50000\n"},
        8,
        2,
    ),
    "version 1, a quota": (
        "4:cpu,cpuacct:/docker/1\n3:memory:/docker/1\n",
        {"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"},
        8,
        4,
    ),
    "version 1, no quota": (
        "4:cpu:/\n0::/\n",
        {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
        8,
        8,
    ),
    "fewer by affinity": ("0::/\n", {"cpu.max": "400000 100000\n"}, 1, 1),
}


def _cgroups(
    monkeypatch: pytest.MonkeyPatch, folder: Path, own: str, files: dict[str, str]
) -> None:
    for name, text in {"own": own, **{f"fs/{name}": text for name, text in files.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(processors, "_OWN_CGROUPS", folder / "own")
    monkeypatch.setattr(processors, "_CGROUPS", folder / "fs")


@pytest.mark.parametrize("case", LIMITED)
def test_a_quota_of_processors_is_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    own, files, affinity, found = LIMITED[case]
    _cgroups(monkeypatch, tmp_path, own, files)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(affinity)), raising=False)
    assert usable_processors() == found


def test_without_affinity_the_processors_of_the_machine_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cgroups(monkeypatch, tmp_path, "0::/\n", {})
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_processors() == 6


@pytest.mark.parametrize(
    ("own", "files", "found"),
    [
        ("0::/\n", {"memory.max": f"{_GB}\n"}, _GB),
        ("0::/\n", {"memory.max": "max\n"}, 8 * _GB),
        ("3:memory:/x\n", {"memory/memory.limit_in_bytes": f"{_GB}\n"}, _GB),
        ("3:memory:/x\n", {"memory/memory.limit_in_bytes": f"{2**63 - 4096}\n"}, 8 * _GB),
        ("", {}, 8 * _GB),
    ],
    ids=["version 2", "no limit", "version 1", "version 1, no limit", "nothing is known"],
)
def test_a_limit_of_memory_is_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, files: dict[str, str], found: int
) -> None:
    _cgroups(monkeypatch, tmp_path, own, files)
    sizes = {"SC_PAGE_SIZE": 1_000, "SC_PHYS_PAGES": 8_000_000}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert usable_memory() == found
