"""Keep on disk what a run has paid for: its replies, and how much it has sent."""

from typing import NamedTuple

from transforms.persistence.database import Database

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
_UNWRITTEN_CALLS = 16
"""A run without a limit writes its calls so many at a time: a write costs as much as 5 % of one."""


class Spent(NamedTuple):
    """What a run has sent to the checker in all its tries.

    Attributes:
      calls: requests, failed and repeated ones included.
      characters: of the answers and facts in them.
    """

    calls: int = 0
    characters: int = 0


class ReplyStore:
    """Keeps encoded replies by the content of their request, and how much the run has sent.

    Several processes may use the same file.

    Args:
      path: the database's file, made where there is none.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._unwritten = Spent()
        self._database = Database(path, _TABLES, durable=False)

    def begin(self, owner: int, *, again: bool) -> None:
        """Keep replies for a part of the run from now on.

        Args:
          owner: the part's number, in whose records its replies stand.
          again: whether it was begun before and not finished, so that its replies stand nowhere.
        """
        self._owner = owner
        if again:
            self._database.write("UPDATE replies SET owner = NULL WHERE owner = ?", owner)

    def begin_plan(self) -> int:
        """Keep all replies for a new plan of the run, in none of whose records they stand.

        Returns:
          How many there are.
        """
        return self._database.write("UPDATE replies SET owner = NULL")

    def forget_replies(self) -> None:
        """Delete all replies; what the run has sent still counts."""
        self._database.write("DELETE FROM replies")

    def get(self, key: bytes) -> tuple[bytes, bool] | None:
        """Return a reply, None if it was never paid for.

        Returns:
          The reply; and whether it stands in no finished part's records yet, so that it does in
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
        """Count a call that is about to be sent, unless it exceeds a limit of the run.

        It is on disk when this returns, so that the process may be killed.

        Args:
          characters: of the call's answer and facts.
          max_calls: that the run may make in all its tries, None for any number.
          max_characters: that it may send, None for any number.

        Returns:
          Whether it may be sent.
        """
        most_calls = _NO_LIMIT if max_calls is None else max_calls
        most_characters = _NO_LIMIT if max_characters is None else max_characters
        taken = self._database.write(_TAKE, characters, most_calls, characters, most_characters)
        return taken == 1

    def count(self, characters: int) -> None:
        """Count a call of a run without limits; it is on disk with some others."""
        calls, before = self._unwritten
        self._unwritten = Spent(calls + 1, before + characters)
        if self._unwritten.calls >= _UNWRITTEN_CALLS:
            self.flush()

    def give_back(self, characters: int) -> None:
        """Take back the count of a call that did not leave."""
        calls, before = self._unwritten
        self._unwritten = Spent(calls - 1, before - characters)
        self.flush()

    def flush(self) -> None:
        """Write what was counted."""
        if self._unwritten != Spent():
            statement = "UPDATE spent SET calls = calls + ?, characters = characters + ?"
            self._database.write(statement, *self._unwritten)
            self._unwritten = Spent()

    def spent(self) -> Spent:
        """Return what the run has sent in all its tries."""
        self.flush()
        [(calls, characters)] = self._database.read("SELECT calls, characters FROM spent")
        return Spent(calls, characters)

    def close(self) -> None:
        """Write what was counted, and close the file."""
        self.flush()
        self._database.close()
