"""Replies on disk, so that a run that was killed pays for none of them again."""

from transforms.database import Database

_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
  key BLOB PRIMARY KEY, reply BLOB NOT NULL, owner INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (calls INTEGER NOT NULL, characters INTEGER NOT NULL);
INSERT INTO spent SELECT 0, 0 WHERE NOT EXISTS (SELECT * FROM spent);
"""

_TAKE = """
UPDATE spent SET calls = calls + 1, characters = characters + ?
WHERE calls < ? AND characters + ? <= ?
"""
_NO_LIMIT = 2**62


class ReplyStore:
    """Keeps encoded replies by the content of their request, and what all of them took.

    Several processes may use the same file.

    Args:
      path: the database's file, made where there is none.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._database = Database(path, _TABLES, survives_the_machine=False)

    def begin(self, owner: int, *, again: bool) -> None:
        """Keep replies for a part of the run from now on.

        Args:
          owner: the part's number, in whose counts its replies stand.
          again: whether it was begun before and not finished, so that its replies stand nowhere.
        """
        self._owner = owner
        if again:
            self._database.write("UPDATE replies SET owner = NULL WHERE owner = ?", owner)

    def get(self, key: bytes) -> tuple[bytes, bool] | None:
        """Return a reply, None if it was never paid for.

        Returns:
          The reply; and whether it stands in no finished part's counts yet, so that it does in
          this one's.
        """
        query = "SELECT reply, owner IS NULL FROM replies WHERE key = ?"
        found = list(self._database.read(query, key))
        if not found:
            return None
        [(reply, is_uncounted)] = found
        if is_uncounted:
            self._database.write("UPDATE replies SET owner = ? WHERE key = ?", self._owner, key)
        return reply, bool(is_uncounted)

    def put(self, key: bytes, reply: bytes) -> None:
        """Keep a reply."""
        self._database.write(
            "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", key, reply, self._owner
        )

    def take(self, characters: int, max_calls: int | None, max_characters: int | None) -> bool:
        """Tell whether one more call is within the limits of the run, and count it.

        Args:
          characters: of the call's answer and facts.
          max_calls: that the run may make in all its tries, None for any number.
          max_characters: that it may send, None for any number.
        """
        most_calls = _NO_LIMIT if max_calls is None else max_calls
        most_characters = _NO_LIMIT if max_characters is None else max_characters
        taken = self._database.write(_TAKE, characters, most_calls, characters, most_characters)
        return taken == 1

    def give_back(self, characters: int) -> None:
        """Count a call out again that brought nothing."""
        self._database.write(
            "UPDATE spent SET calls = calls - 1, characters = characters - ?", characters
        )

    def close(self) -> None:
        """Close the file."""
        self._database.close()
