"""Store a run's replies and its use of the budget in a file that several processes share."""

from typing import NamedTuple

from transforms.grounding.settings import Budget
from transforms.persistence.database import Database

_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
  key BLOB PRIMARY KEY, reply BLOB NOT NULL, owner INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (calls INTEGER NOT NULL, characters INTEGER NOT NULL);
INSERT INTO spent SELECT 0, 0 WHERE NOT EXISTS (SELECT * FROM spent);
"""

_ADD = "UPDATE spent SET calls = calls + ?, characters = characters + ?"
_ADD_IN_BUDGET = f"{_ADD} WHERE calls < ? AND characters + ? <= ?"
_NO_LIMIT = 2**62
_CALLS_PER_WRITE = 16
"""A run without a budget writes its count once in so many calls: a write costs 5 % of a call."""


class Spent(NamedTuple):
    """What a run has sent, over all its tries: requests, and the characters in them."""

    calls: int = 0
    characters: int = 0


class ReplyStore:
    """Encoded replies by the hash of their request, and how much the run has sent.

    A run consists of parts. A reply belongs to the part whose counts include its call.

    Raises:
      OSError: the file cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._unwritten = Spent()
        self._database = Database(path, _TABLES, durable=False)

    def begin(self, owner: int, *, again: bool) -> None:
        """Begin a part of the run; `again` if it was interrupted: its replies belong to none."""
        self._owner = owner
        if again:
            self._database.write("UPDATE replies SET owner = NULL WHERE owner = ?", owner)

    def begin_plan(self) -> int:
        """Let all replies belong to no part, for a new plan of the run; return how many."""
        return self._database.write("UPDATE replies SET owner = NULL")

    def delete_replies(self) -> None:
        """Delete all replies; what the run has sent still counts."""
        self._database.write("DELETE FROM replies")

    def get(self, key: bytes) -> tuple[bytes, bool] | None:
        """Return a reply, and whether it belonged to no part; then the current part gets it."""
        query = "SELECT reply, owner IS NULL FROM replies WHERE key = ?"
        row = next(self._database.read(query, key), None)
        if row is None:
            return None
        reply, is_uncounted = row
        if is_uncounted:
            self._database.write("UPDATE replies SET owner = ? WHERE key = ?", self._owner, key)
        return reply, bool(is_uncounted)

    def put(self, key: bytes, reply: bytes) -> None:
        """Store a reply."""
        self._database.write(
            "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", key, reply, self._owner
        )

    def spend(self, characters: int, budget: Budget) -> bool:
        """Count a call that is about to be sent; return False if it exceeds the budget.

        With a budget the count is committed before this returns, so that no crash loses it.

        """
        if budget == Budget():
            self._add_unwritten(1, characters)
            if self._unwritten.calls >= _CALLS_PER_WRITE:
                self.flush()
            return True
        limits = (budget.max_calls, budget.max_characters)
        calls, most = (_NO_LIMIT if limit is None else limit for limit in limits)
        return self._database.write(_ADD_IN_BUDGET, 1, characters, calls, characters, most) == 1

    def refund(self, characters: int) -> None:
        """Subtract a call that was not sent after all."""
        self._add_unwritten(-1, -characters)
        self.flush()

    def flush(self) -> None:
        """Write the count."""
        if self._unwritten != Spent():
            self._database.write(_ADD, *self._unwritten)
            self._unwritten = Spent()

    def spent(self) -> Spent:
        """Return what the run has sent, over all its tries."""
        self.flush()
        [(calls, characters)] = self._database.read("SELECT calls, characters FROM spent")
        return Spent(calls, characters)

    def close(self) -> None:
        """Write the count, and close the file."""
        self.flush()
        self._database.close()

    def _add_unwritten(self, calls: int, characters: int) -> None:
        before = self._unwritten
        self._unwritten = Spent(before.calls + calls, before.characters + characters)
