"""Find Java, and fetch and verify the jars of Flink and of Beam's runner, with Maven."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

DEFAULT_FOLDER = Path.home() / ".cache" / "groundwatch" / "flink-1.19-beam-2.62.0"
_FETCH = "`python -m tests.support.flink.installation` fetches them"
_HERE = Path(__file__).parent
_MIN_JAVA = 17
_OPENED_PACKAGES = ("java.lang", "java.net", "java.util", "java.util.concurrent")
"""Packages that Flink and Beam access by reflection, which Java 17 closes."""


class Missing(Exception):
    """A requirement of Flink is missing; the message says what to do."""


def java_command(
    class_path: str, main_class: str, *arguments: str, heap: str, temporary: Path
) -> list[str]:
    """Build the command line of a Java program, with a heap such as 512m, or raise `Missing`."""
    java = _program("java", f"Flink needs Java {_MIN_JAVA}")
    version = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - found on the path
    release = re.search(r'version "(\d+)', version.stderr)
    if release is None or int(release[1]) < _MIN_JAVA:
        found = release[1] if release else "of an unknown version"
        raise Missing(f"Flink needs Java {_MIN_JAVA}: the java on the path is {found}")
    return [
        java,
        f"-Xmx{heap}",
        # Starts faster and needs less memory: the work is done in Python.
        *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        f"-Djava.io.tmpdir={temporary}",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED_PACKAGES),
        *("-classpath", class_path, main_class, *arguments),
    ]


def class_path(folder: Path) -> str:
    """Verify the jars of a folder and join their paths in Java's notation, or raise `Missing`."""
    if not folder.is_dir():
        raise Missing(f"Flink's jars are not in {folder}: {_FETCH}")
    lines = (_HERE / "jars.sha256").read_text(encoding="ascii").splitlines()
    digests = {
        folder / name: digest for digest, _, name in (line.partition("  ") for line in lines)
    }
    for path, digest in digests.items():
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise Missing(f"{path} is not the recorded jar: {_FETCH}")
    return os.pathsep.join(map(str, digests))


def fetch(folder: Path) -> None:
    """Fetch the jars with Maven, unless they are there, or raise `Missing`; other files stay."""
    try:
        class_path(folder)
    except Missing:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            _run_maven(Path(temporary))
            class_path(Path(temporary))
            folder.mkdir(exist_ok=True)
            for jar in Path(temporary).iterdir():
                jar.replace(folder / jar.name)


def _run_maven(folder: Path) -> None:
    maven = _program("mvn", "fetching Flink's jars needs Maven")
    pom = _HERE / "pom.xml"
    copy = "dependency:copy-dependencies", f"-DoutputDirectory={folder}"
    flags = "--batch-mode", "--quiet", "--strict-checksums", "--file", str(pom)
    if subprocess.run([maven, *flags, *copy], check=False).returncode:  # noqa: S603 - found on the path
        raise Missing("Maven could not fetch Flink's jars; its output is above")


def _program(name: str, need: str) -> str:
    if found := shutil.which(name):
        return found
    raise Missing(f"{need}: there is no {name} on the path")


if __name__ == "__main__":
    fetch(DEFAULT_FOLDER)
