"""Where low-grounded answers come from: counts by engine, session or document."""

import msgspec

from launch.report.counting.confidence import surely_at_least
from launch.report.counting.seen import JUDGED
from schemas.verdict import Verdict

_MOST_KEYS = 20_000


class Group(msgspec.Struct):
    """The answers that share an engine, a session or a document.

    Attributes:
      key: what they share; None where the answers do not say.
      title: a name that a person knows better than the key, or None.
      answers: how many.
      judged: how many were found grounded or low-grounded.
      low_grounded, policy_skipped: how many with these verdicts.
    """

    key: str | None
    title: str | None = None
    answers: int = 0
    judged: int = 0
    low_grounded: int = 0
    policy_skipped: int = 0

    @property
    def low_share(self) -> float | None:
        """Low-grounded of those judged, 0..1; None where none was."""
        return self.low_grounded / self.judged if self.judged else None

    def add(self, verdict: str) -> None:
        """Count an answer."""
        self.answers += 1
        self.judged += verdict in JUDGED
        self.low_grounded += verdict == Verdict.LOW_GROUNDED
        self.policy_skipped += verdict == Verdict.POLICY_SKIPPED


class Groups:
    """Counts for any number of keys, in bounded memory.

    Beyond `most_keys` the half with the fewest low-grounded answers is forgotten; what comes back
    is counted anew, so that a count may be too low, and is never too high.

    Args:
      most_keys: how many are remembered.

    Attributes:
      forgotten: how often a key was forgotten.
    """

    def __init__(self, most_keys: int = _MOST_KEYS) -> None:
        self._most_keys = most_keys
        self._groups: dict[str | None, Group] = {}
        self.forgotten = 0

    def add(self, key: str | None, verdict: str, title: str | None = None) -> None:
        """Count an answer under a key."""
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= self._most_keys:
                self._forget_the_harmless()
            group = self._groups[key] = Group(key, title)
        group.add(verdict)

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._groups)

    def worst(self, most: int) -> list[Group]:
        """The groups whose share of low-grounded answers is surely the highest, worst first."""
        return sorted(self._groups.values(), key=_badness)[:most]

    def _forget_the_harmless(self) -> None:
        by_harm = sorted(self._groups.values(), key=_harm)
        for group in by_harm[: self._most_keys // 2]:
            del self._groups[group.key]
            self.forgotten += 1


def _badness(group: Group) -> tuple[float, int, str]:
    return (
        -surely_at_least(group.low_grounded, group.judged),
        -group.answers,
        group.key or "",
    )


def _harm(group: Group) -> tuple[int, int]:
    return group.low_grounded, group.answers
