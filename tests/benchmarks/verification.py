"""What `groundwatch verify` says of an output folder at the end of a benchmark."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path


def verification(output: Path, work_folders: Iterable[Path] = ()) -> str:
    """Verify an output folder as a user does.

    Args:
      output: the folder.
      work_folders: of workers that do not lie in it.

    Returns:
      ``verified``, or ``DIFFERS`` with all that the command printed.
    """
    command = [sys.executable, "-m", "groundwatch", "verify", str(output)]
    for folder in work_folders:
        command += ["--work_folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own source
    return "DIFFERS: " + done.stdout + done.stderr if done.returncode else "verified"
