"""Pin the image's requirements with their hashes.

`python -m launch.dataflow.pinning` asks pip what it would install and writes `requirements.txt` and
`build-requirements.txt` beside this file. Run it on the platform of the image: Python 3.11, x86-64
Linux.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[1] / "pyproject.toml"
_CONSTRAINTS = _HERE.parent / "constraints.txt"


def requirements(report: bytes) -> str:
    """Write what pip would install as requirements with a version and a hash, sorted.

    Source: https://pip.pypa.io/en/stable/reference/installation-report/
    """
    return "".join(sorted(_requirements(report)))


def _requirements(report: bytes) -> Iterator[str]:
    for package in json.loads(report)["install"]:
        name, version = package["metadata"]["name"], package["metadata"]["version"]
        digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
        yield f"{name.lower()}=={version} --hash=sha256:{digest}\n"


def _write(name: str, names: Sequence[str]) -> None:
    command = ["-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    options = ["--report", "-", "--constraint", str(_CONSTRAINTS)]
    run = subprocess.run(  # noqa: S603 - our own requirements
        [sys.executable, *command, *options, *names], check=True, stdout=subprocess.PIPE
    )
    (_HERE / name).write_text(requirements(run.stdout), encoding="ascii")


if __name__ == "__main__":
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))
    _write("requirements.txt", project["project"]["dependencies"])
    _write("build-requirements.txt", project["build-system"]["requires"])
