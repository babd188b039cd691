"""Counts by engine, session and document."""

import msgspec

from groundwatch.launch.results.shares import LEAST_DRAWN, wilson_lower_bound
from groundwatch.schemas.verdict import Verdict
from .untrusted_names import cut_name, kept_title

_MAX_KEYS = 20_000
# Texts compare faster than enum values.
_LOW_GROUNDED, _POLICY_SKIPPED = str(Verdict.LOW_GROUNDED), str(Verdict.POLICY_SKIPPED)
ASSESSED = frozenset({str(Verdict.GROUNDED), _LOW_GROUNDED})
"""The verdicts that say whether an answer is supported; low-grounded shares are of these."""


class Group(msgspec.Struct):
    """The answers of one engine, session or document; of None where the answers name none."""

    key: str | None
    title: str | None = None
    answers: int = 0
    assessed: int = 0
    low_grounded: int = 0
    policy_skipped: int = 0

    @property
    def low_share(self) -> float | None:
        """Low-grounded answers among those assessed, 0..1; None without any."""
        return self.low_grounded / self.assessed if self.assessed else None

    @property
    def has_share(self) -> bool:
        """Whether so many answers were assessed that a percentage says more than their count."""
        return self.assessed >= LEAST_DRAWN


class Groups(dict[str | None, Group]):
    """Count answers by key in bounded memory.

    Beyond the maximum of keys, the half with the fewest low-grounded answers is dropped. A count
    may therefore be too low, and is never too high.
    """

    dropped = 0

    def add(self, key: str | None, verdict: str, title: str | None = None) -> None:
        key = cut_name(key)
        group = self.get(key)
        if group is None:
            if len(self) >= _MAX_KEYS:
                self._drop_half()
            group = self[key] = Group(key, kept_title(title))
        group.answers += 1
        group.assessed += verdict in ASSESSED
        group.low_grounded += verdict == _LOW_GROUNDED
        group.policy_skipped += verdict == _POLICY_SKIPPED

    def _drop_half(self) -> None:
        by_rank = sorted(self.values(), key=lambda group: (group.low_grounded, group.answers))
        for dropped in by_rank[: _MAX_KEYS // 2]:
            del self[dropped.key]
        self.dropped += _MAX_KEYS // 2

    def smaller(self, min_answers: int) -> int:
        """Count the groups of fewer answers."""
        return sum(group.answers < min_answers for group in self.values())

    def ranked(self, limit: int, min_answers: int = 1) -> list[Group]:
        """Return the groups with the highest lower bounds of their low-grounded share.

        Groups of fewer answers than `min_answers` are left out.
        """

        def rank(group: Group) -> tuple[float, int, str]:
            bound = wilson_lower_bound(group.low_grounded, group.assessed)
            return -bound, -group.answers, group.key or ""

        found = (each for each in self.values() if each.answers >= min_answers)
        return sorted(found, key=rank)[:limit]
