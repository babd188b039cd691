"""What a bounded run was planned for: by it the same command is known again."""

from math import inf

from . import Record


class Budget(Record, frozen=True, kw_only=True):
    """The budget of all calls of a run, in requests and in characters; None for no limit."""

    max_calls: int | None = None
    max_characters: int | None = None

    def exceeds(self, other: "Budget") -> bool:
        """Return whether one limit is higher than that of another budget, and none is lower."""
        limits = (self.max_calls, other.max_calls), (self.max_characters, other.max_characters)
        numbers = [tuple(inf if each is None else each for each in pair) for pair in limits]
        return all(own >= its for own, its in numbers) and any(own > its for own, its in numbers)


class PlannedRun(Record, frozen=True, kw_only=True):
    """What decides the results of a run.

    Attributes:
      fingerprint: a hash of the settings that decide them.
      inputs: the files that it reads.
      versions: of each input its size in bytes and the time of its last change, in nanoseconds
        since 1970 UTC.
      messages: how many they hold.
      replays: whether they hold failures, which the run resolves.
      budget: that of the last try of the run.
      in_files: which texts, payloads and rates its files have: values by flag, without dashes; None
        if an earlier release did not note them.
    """

    fingerprint: str
    inputs: tuple[str, ...]
    versions: tuple[tuple[int, int], ...]
    messages: int
    replays: bool = False
    budget: Budget = Budget()
    in_files: dict[str, str] | None = None
