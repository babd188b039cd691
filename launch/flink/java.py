"""The Java that Flink runs on."""

import re
import shutil
import subprocess
from pathlib import Path

from launch.flink.missing import Missing
from schemas import Record

_OLDEST = 17
_OPENED = ("java.lang", "java.net", "java.util", "java.util.concurrent")
"""Packages that Flink and Beam look into, which Java has closed since."""


class Java(Record, frozen=True, kw_only=True):
    """A Java program with a class path.

    Attributes:
      program: its path.
      class_path: in Java's way.
    """

    program: str
    class_path: str

    def command(self, main_class: str, *arguments: str, heap: str, temporary: Path) -> list[str]:
        """Put a command together.

        Args:
          main_class: what to run.
          arguments: of it.
          heap: how much memory its objects may take, such as ``512m``.
          temporary: a folder for temporary files.
        """
        return [
            self.program,
            f"-Xmx{heap}",
            # It starts sooner and takes less of the machine: the work is done in Python.
            *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            f"-Djava.io.tmpdir={temporary}",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            *("-classpath", self.class_path, main_class, *arguments),
        ]


def find_java() -> str:
    """Find a Java that is new enough on the path.

    Returns:
      The path of the program.

    Raises:
      Missing: there is none.
    """
    program = shutil.which("java")
    if program is None:
        raise Missing(f"Flink needs Java {_OLDEST}: there is no java on the path")
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - found on the path
    release = re.search(r'version "(\d+)', told.stderr)
    if release is None or int(release[1]) < _OLDEST:
        found = release[1] if release else "one that does not tell its version"
        raise Missing(f"Flink needs Java {_OLDEST}: the java on the path is {found}")
    return program
