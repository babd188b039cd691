"""Name the user of this process, and find a folder that it can write to."""

import getpass
import os
import tempfile
from pathlib import Path

_ROOT = Path("/")


def user_name() -> str:
    """Return the name of this process's user, or the number of one without an entry.

    Kubernetes and OpenShift run containers under numbers that no entry names.
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def user_folder() -> Path:
    """Return the user's folder for caches, and for the state of runs whose output is a bucket.

    Without a home that can be written to, it is below the system's folder for temporary files.
    """
    try:
        home = Path.home()
    except RuntimeError:
        home = _ROOT
    if home != _ROOT and os.access(home, os.W_OK):
        return home / ".cache" / "groundwatch"
    folder = Path(tempfile.gettempdir()) / f"groundwatch-{os.getuid()}"
    # Whoever made it before could read what is kept there.
    is_own = not folder.exists() or folder.lstat().st_uid == os.getuid()
    return folder if is_own else Path(tempfile.mkdtemp(prefix="groundwatch-"))
