"""Find the files of this machine that a pattern matches, each once."""

import glob
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_ANY_FOLDERS = re.compile(r"(?:^|(?<=/))\*\*(?:/+|$)")
"""The part ``**/`` of a pattern, or ``**`` at its end."""


def match(pattern: str) -> set[str]:
    """Return the paths that match a glob, as `glob.glob` does; folders may be among them.

    ``**`` stands for any folders below. A link to another folder is followed, but for one to a
    folder that holds the link: `glob.glob` follows that until the system stops it.

    Args:
      pattern: absolute, or relative to the current folder.
    """
    if pattern.endswith("/"):
        return set()
    found = _ANY_FOLDERS.search(pattern)
    if found is None:
        return set(glob.glob(pattern))  # noqa: PTH207 - takes absolute patterns, too
    head, tail = pattern[: found.start()], pattern[found.end() :] or "*"
    roots = glob.glob(head) if head else [""]  # noqa: PTH207
    return {
        path
        for root in roots
        for folder in _folders(root)
        for path in match(os.path.join(glob.escape(folder), tail))  # noqa: PTH118 - stays as matched
    }


def distinct(paths: Iterable[str]) -> list[str]:
    """Keep one path of those that lead to the same file, and sort them.

    The path that is kept leads through no link, if there is one, and is the first of those.

    Args:
      paths: of files that exist.

    Raises:
      OSError: a file does not exist.
    """
    kept: dict[str | tuple[int, int], str] = {}
    for path in sorted(paths, key=_preference):
        kept.setdefault(_identity(path), path)
    return sorted(kept.values())


def _preference(path: str) -> tuple[bool, str]:
    return os.path.realpath(path) != os.path.abspath(path), path  # noqa: PTH100 - resolves no link


def _identity(path: str) -> str | tuple[int, int]:
    """Identify a file by its real path, or one with hard links by its number."""
    status = Path(path).stat()
    # Some network file systems number files carelessly, so the number alone is not trusted.
    return (status.st_dev, status.st_ino) if status.st_nlink > 1 else os.path.realpath(path)


def _folders(root: str) -> Iterator[str]:
    """Yield a folder and all below it, each once; those behind links come last."""
    folders, linked = deque([root]), deque[str]()
    seen: set[str] = set()
    while folders or linked:
        folder = (folders or linked).popleft()
        real_path = os.path.realpath(folder)
        if real_path in seen:
            continue
        seen.add(real_path)
        yield folder
        for path, is_link in _subfolders(folder):
            if not is_link:
                folders.append(path)
            elif not Path(real_path).is_relative_to(os.path.realpath(path)):
                linked.append(path)


def _subfolders(folder: str) -> list[tuple[str, bool]]:
    """List the folders in a folder, hidden ones left out, and whether each is a link."""
    # A folder that cannot be listed matches nothing, as in `glob.glob`.
    with suppress(OSError):
        shown = (name for name in os.listdir(folder or os.curdir) if not name.startswith("."))  # noqa: PTH208 - stays as matched
        paths = (os.path.join(folder, name) for name in sorted(shown))  # noqa: PTH118
        return [(path, Path(path).is_symlink()) for path in paths if Path(path).is_dir()]
    return []
