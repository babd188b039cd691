"""The image's requirements with their hashes, and without an address.

`python -m launch.dataflow.pinning` asks pip what it would install and writes `requirements.txt` and
`build-requirements.txt` beside this file. It has to run where the image will: Python 3.11 on Linux,
x86-64.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[1] / "pyproject.toml"
_CONSTRAINTS = _HERE.parent / "constraints.txt"


def pinned(report: Mapping[str, Any]) -> str:
    """Write what pip would install as requirements that it can check.

    Args:
      report: pip's installation report.
        Source: https://pip.pypa.io/en/stable/reference/installation-report/

    Returns:
      One line for each package, sorted: its version, and the hash of its one file.
    """
    lines = (
        f"{item['metadata']['name'].lower()}=={item['metadata']['version']}"
        f" --hash=sha256:{item['download_info']['archive_info']['hashes']['sha256']}\n"
        for item in report["install"]
    )
    return "".join(sorted(lines))


def main() -> None:
    """Write both files."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))
    _write("requirements.txt", project["project"]["dependencies"])
    _write("build-requirements.txt", project["build-system"]["requires"])


def _write(name: str, requirements: Sequence[str]) -> None:
    (_HERE / name).write_text(_resolved(requirements), encoding="ascii")


def _resolved(requirements: Sequence[str]) -> str:
    command = ["-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    options = ["--report", "-", "--constraint", str(_CONSTRAINTS)]
    told = subprocess.run(  # noqa: S603 - our own requirements
        [sys.executable, *command, *options, *requirements], check=True, stdout=subprocess.PIPE
    )
    return pinned(json.loads(told.stdout))


if __name__ == "__main__":
    main()
