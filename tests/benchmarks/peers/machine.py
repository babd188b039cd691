"""Where a benchmark ran, and what of."""

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks.peers.results import Machine
from tests.support.repository import ROOT


def this_machine() -> Machine:
    """Describe the machine, without its name."""
    return Machine(
        processor=_first(r"model name\s*: (.+)", "/proc/cpuinfo") or platform.processor(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=int(_first(r"MemTotal:\s*(\d+)", "/proc/meminfo")) / 1024**2,
        kernel=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
    )


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Look up which versions are installed."""
    return {name: version(name) for name in sorted(set(packages))}


def commit() -> str:
    """Name the source, with a plus sign if files that are under version control were changed."""
    changed = _git(
        "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/benchmarks.*"
    )
    return _git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def _first(pattern: str, path: str) -> str:
    found = re.search(pattern, Path(path).read_text(encoding="utf-8"))
    return found[1].strip() if found else ""


def _git(*arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own source
        ["git", *arguments],  # noqa: S607 - whichever git there is
        check=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip()
