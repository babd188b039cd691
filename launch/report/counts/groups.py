"""Counts by engine, session and document."""

from math import sqrt

import msgspec

from launch.report.counts.distributions import Mean
from launch.report.output_records import ASSESSED, AnswerRow, cut_name
from schemas.verdict import Tag, Verdict

_Z = 1.96
"""Standard deviations that hold 95 % of a normal distribution."""

_MAX_KEYS = 20_000
_MAX_ENGINES = 1_000


def wilson_lower_bound(hits: int, total: int) -> float:
    """Compute the lower bound of Wilson's 95 % interval for a share, with continuity correction.

    Args:
      hits: at most `total`.
      total: how many cases there are.

    Returns:
      0..1; 0 without any case.

    Source: R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics
    in Medicine 17 (1998), method 4.
    """
    if not hits:
        return 0.0
    share, square = hits / total, _Z * _Z
    spread = _Z * sqrt(square - 1 / total + 4 * hits * (1 - share) + 4 * share - 2) + 1
    return max(0.0, (2 * hits + square - spread) / (2 * (total + square)))


class Group(msgspec.Struct):
    """The answers of one engine, session or document.

    Attributes:
      key: None where the answers do not name one.
      title: a readable name of the key, or None.
      answers: how many.
      assessed: how many are grounded or low-grounded.
      low_grounded, policy_skipped: how many have these verdicts.
    """

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

    def add(self, verdict: str) -> None:
        """Count an answer."""
        self.answers += 1
        self.assessed += verdict in ASSESSED
        self.low_grounded += verdict == Verdict.LOW_GROUNDED
        self.policy_skipped += verdict == Verdict.POLICY_SKIPPED


class Groups:
    """Count answers by key in bounded memory.

    Beyond `max_keys`, the half with the fewest low-grounded answers is dropped. A key that comes
    back starts at zero, so a count may be too low and is never too high.

    Attributes:
      dropped: how often a key was dropped.
    """

    def __init__(self, max_keys: int = _MAX_KEYS) -> None:
        self._max_keys = max_keys
        self._groups: dict[str | None, Group] = {}
        self.dropped = 0

    def add(self, key: str | None, verdict: str, title: str | None = None) -> None:
        """Count an answer under a key."""
        key = cut_name(key)
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= self._max_keys:
                self._drop_half()
            group = self._groups[key] = Group(key, title)
        group.add(verdict)

    def __len__(self) -> int:
        """Return how many keys there are."""
        return len(self._groups)

    def ranked(self, limit: int) -> list[Group]:
        """Return the groups with the highest lower bounds of their low-grounded share."""
        return sorted(self._groups.values(), key=_rank)[:limit]

    def _drop_half(self) -> None:
        ascending = sorted(
            self._groups.values(), key=lambda each: (each.low_grounded, each.answers)
        )
        for group in ascending[: self._max_keys // 2]:
            del self._groups[group.key]
            self.dropped += 1


def _rank(group: Group) -> tuple[float, int, str]:
    bound = wilson_lower_bound(group.low_grounded, group.assessed)
    return -bound, -group.answers, group.key or ""


class GeneratorComparison(msgspec.Struct):
    """The scores and citations of one engine, compared with the check's.

    Attributes:
      engine: None where the answers do not name one.
      drift: the generator's score minus the support score, by answer.
      claim_drift: the same by claim.
      precision, recall: of its citations, by answer.
      drifting: answers tagged SCORE_DRIFT.
      miscited: answers tagged CITATION_MISMATCH.
    """

    engine: str | None
    drift: Mean = msgspec.field(default_factory=Mean)
    claim_drift: Mean = msgspec.field(default_factory=Mean)
    precision: Mean = msgspec.field(default_factory=Mean)
    recall: Mean = msgspec.field(default_factory=Mean)
    drifting: int = 0
    miscited: int = 0

    def add(self, answer: AnswerRow) -> None:
        """Count an answer."""
        self.drift.add(answer.score_drift)
        for drift in answer.claim_drifts():
            self.claim_drift.add(drift)
        self.precision.add(answer.citation_precision)
        self.recall.add(answer.citation_recall)
        self.drifting += Tag.SCORE_DRIFT in answer.tags
        self.miscited += Tag.CITATION_MISMATCH in answer.tags

    @property
    def compared(self) -> int:
        """How many answers have a score of the generator, or citations."""
        return max(self.drift.count, self.precision.count, self.recall.count)


class GeneratorComparisons:
    """Compare generators by engine; the first thousand engines are kept.

    Attributes:
      dropped: answers of other engines.
    """

    def __init__(self, max_engines: int = _MAX_ENGINES) -> None:
        self._max_engines = max_engines
        self._by_engine: dict[str | None, GeneratorComparison] = {}
        self.dropped = 0

    def add(self, answer: AnswerRow) -> None:
        """Count an answer."""
        engine = cut_name(answer.engine)
        if engine not in self._by_engine and len(self._by_engine) >= self._max_engines:
            self.dropped += 1
            return
        self._by_engine.setdefault(engine, GeneratorComparison(engine)).add(answer)

    def __len__(self) -> int:
        """Return how many engines have anything to compare."""
        return sum(each.compared > 0 for each in self._by_engine.values())

    def most_compared(self, limit: int) -> list[GeneratorComparison]:
        """Return the engines with the most answers to compare."""
        found = [each for each in self._by_engine.values() if each.compared]
        return sorted(found, key=lambda each: (-each.compared, each.engine or ""))[:limit]
