"""Programs that packages of Python bring."""

import shutil
import sys
from pathlib import Path


def tool(name: str) -> str:
    """The path of a program of the tests' requirements."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    assert found, f"{name} comes with the tests' requirements"
    return found
