"""Pin the image's requirements with their hashes.

`python -m launch.dataflow.pinning` asks pip what it would install and writes `requirements.txt` and
`build-requirements.txt` beside this file. Run it on the platform of the image: Python 3.11, x86-64
Linux.
"""

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from schemas import Record

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[1] / "pyproject.toml"
_CONSTRAINTS = _HERE.parent / "constraints.txt"


class _Metadata(Record, frozen=True):
    name: str
    version: str


class _Archive(Record, frozen=True):
    hashes: dict[str, str]


class _Download(Record, frozen=True):
    archive_info: _Archive


class _Package(Record, frozen=True):
    metadata: _Metadata
    download_info: _Download


class _Report(Record, frozen=True):
    """Pip's report. Source: https://pip.pypa.io/en/stable/reference/installation-report/."""

    install: tuple[_Package, ...]


def requirements(report: bytes) -> str:
    """Write what pip would install as requirements with a version and a hash, sorted.

    Args:
      report: pip's installation report, as JSON.
    """
    packages = msgspec.json.decode(report, type=_Report).install
    lines = (
        f"{package.metadata.name.lower()}=={package.metadata.version}"
        f" --hash=sha256:{package.download_info.archive_info.hashes['sha256']}\n"
        for package in packages
    )
    return "".join(sorted(lines))


def main() -> None:
    """Write both files."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))
    _write("requirements.txt", project["project"]["dependencies"])
    _write("build-requirements.txt", project["build-system"]["requires"])


def _write(name: str, names: Sequence[str]) -> None:
    command = ["-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    options = ["--report", "-", "--constraint", str(_CONSTRAINTS)]
    run = subprocess.run(  # noqa: S603 - our own requirements
        [sys.executable, *command, *options, *names], check=True, stdout=subprocess.PIPE
    )
    (_HERE / name).write_text(requirements(run.stdout), encoding="ascii")


if __name__ == "__main__":
    main()
