"""Writing one file that a person asked for."""

from pipeline import storage


def write_file(path: str, content: bytes) -> None:
    """Write a file whole: a reader sees what was there before, or all of it.

    Args:
      path: local or gs://.
      content: all of it.

    Raises:
      OSError: it cannot be written.
    """
    folder, slash, name = path.rpartition("/")
    temporary = f"{folder}{slash}.groundwatch-{name}"
    try:
        storage.write_whole(path, content, temporary)
    except OSError:
        storage.remove([temporary])
        raise
