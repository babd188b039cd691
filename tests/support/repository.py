"""Name the folder of this repository, and what its processes import."""

import os
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("launch", "pipeline", "schemas", "src", "transforms")
"""The folders of the product."""


def product_files() -> list[Path]:
    """Return the Python files of the product, each once, in the order of their paths."""
    return sorted(chain.from_iterable((ROOT / folder).rglob("*.py") for folder in FOLDERS))


def python_path(source: Path = ROOT) -> str:
    """Return the `PYTHONPATH` with which a process imports groundwatch and the tests of a clone."""
    return os.pathsep.join((str(source / "src"), str(source)))
