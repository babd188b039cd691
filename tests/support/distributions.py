"""Build what is handed out of a copy of the source, and install it in environments of their own."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import msgspec

from tests.support.repository import FOLDERS, ROOT

PROJECT = ("LICENSE", "README.md", "pyproject.toml")
UNTRACKED = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
_BUILD = "import sys; from setuptools import build_meta; build_meta.{}(sys.argv[1])"


def copy_source(folder: Path) -> Path:
    """Copy the source, without anything that was made of it: a build leaves traces."""
    for name in PROJECT:
        shutil.copy(ROOT / name, folder)
    for name in (*FOLDERS, "tests"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=UNTRACKED)
    return folder


def build(hook: str, source: Path, folder: Path) -> Path:
    """Build with the backend that pyproject.toml names, as a frontend without isolation does."""
    command = [sys.executable, "-c", _BUILD.format(hook), str(folder)]
    done = subprocess.run(command, check=False, cwd=source, capture_output=True, text=True)  # noqa: S603 - our own source
    assert done.returncode == 0, done.stderr
    [built] = folder.iterdir()
    return built


class Environment:
    """A virtual environment with the packages of this one, except for groundwatch."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.python = folder / "bin" / "python"
        [self.site] = (folder / "lib").glob("python*/site-packages")
        # A path in such a file brings its packages, but not the editable ones.
        (self.site / "dependencies.pth").write_text(f"{Path(msgspec.__file__).parents[1]}\n")

    def pip(self, command: str, *arguments: str | Path) -> None:
        """Install or uninstall, without a look at any index."""
        done = self.run(Path.cwd(), "-m", "pip", command, *map(str, arguments))
        assert done.returncode == 0, done.stderr

    def install(self, *arguments: str | Path) -> None:
        """Install a wheel, or a folder with `--editable`."""
        offline = ("--no-index", "--no-deps", "--no-build-isolation", "--force-reinstall")
        self.pip("install", *offline, *arguments)

    def run(self, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run its Python in a folder."""
        return subprocess.run(  # noqa: S603 - our own command
            [str(self.python), *arguments], check=False, cwd=folder, capture_output=True, text=True
        )
