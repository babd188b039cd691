"""The jars that Flink and Beam's runner consist of: fetched by Maven, each known by its digest."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from launch.flink.missing import Missing

DEFAULT_FOLDER = Path.home() / ".cache" / "groundwatch" / "flink-1.19-beam-2.62.0"
_FETCH = "`python -m launch.flink fetch` fetches them"


def class_path(folder: Path) -> str:
    """Name a folder's jars in Java's way, after a look at each of them.

    Raises:
      Missing: a jar is not there, or is another one than was recorded.
    """
    if not folder.is_dir():
        raise Missing(f"Flink's jars are not in {folder}: {_FETCH}")
    recorded = {folder / name: digest for name, digest in _recorded()}
    wrong = [path for path, digest in recorded.items() if _digest(path) != digest]
    if wrong:
        raise Missing(f"{wrong[0]} is not the jar that was recorded: {_FETCH}")
    return os.pathsep.join(map(str, recorded))


def fetch(folder: Path) -> None:
    """Fetch the jars by Maven, unless they are there; whatever else is in the folder stays.

    Raises:
      Missing: there is no Maven, it failed, or what it fetched is not what was recorded.
    """
    try:
        class_path(folder)
    except Missing:
        _fetch_anew(folder)


def _fetch_anew(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        arrived = Path(temporary)
        _run_maven(arrived)
        class_path(arrived)
        folder.mkdir(exist_ok=True)
        for jar in arrived.iterdir():
            jar.replace(folder / jar.name)


def _run_maven(folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise Missing("fetching Flink's jars needs Maven: there is no mvn on the path")
    pom = resources.files(__package__) / "pom.xml"
    copy = "dependency:copy-dependencies", f"-DoutputDirectory={folder}"
    flags = "--batch-mode", "--quiet", "--strict-checksums", "--file", str(pom)
    done = subprocess.run([maven, *flags, *copy], check=False)  # noqa: S603 - found on the path
    if done.returncode:
        raise Missing("Maven could not fetch Flink's jars: what it says stands above")


def _recorded() -> Iterator[tuple[str, str]]:
    """Each jar's name and SHA-256, as `sha256sum` writes them."""
    text = (resources.files(__package__) / "jars.sha256").read_text(encoding="ascii")
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        yield name, digest


def _digest(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
