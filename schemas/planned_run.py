"""What a bounded run was planned for: by it the same command is known again."""

from groundwatch.schemas import Record


class PlannedRun(Record, frozen=True, kw_only=True):
    """What decides the results of a run.

    Attributes:
      fingerprint: a hash of the settings that decide them.
      inputs: the files that it reads.
      versions: of each input its size in bytes and the time of its last change, in nanoseconds
        since 1970 UTC.
      messages: how many they hold.
      replays: whether they hold failures, which the run resolves.
      max_calls, max_characters: the budget of the last try of the run, None for no limit.
    """

    fingerprint: str
    inputs: tuple[str, ...]
    versions: tuple[tuple[int, int], ...]
    messages: int
    replays: bool = False
    max_calls: int | None = None
    max_characters: int | None = None
