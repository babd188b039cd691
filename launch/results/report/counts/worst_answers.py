"""Keep the worst answers of a folder."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from heapq import nlargest
from typing import NamedTuple

from msgspec.structs import replace

from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.verdict import Verdict
from .excerpts import AnswerExcerpt, Limits, cut_answer, rank_claims
from .untrusted_names import cut_name

SHOWN_ANSWERS = 1_000
"""A report shows so many low-grounded answers by default, the worst ones."""

_FROM_WORST = (
    Verdict.LOW_GROUNDED,
    Verdict.POLICY_SKIPPED,
    Verdict.GENERATION_FAILED,
    Verdict.INCOMPLETE,
    Verdict.UNSCORABLE,
    Verdict.NOT_ANSWERED,
    Verdict.GROUNDED,
)
_PLACES = {str(verdict): place for place, verdict in enumerate(_FROM_WORST)}
_ABOVE_ALL_SCORES = 2.0
_Badness = tuple[int, bool, float, float]
_MAX_VERDICTS = 64
_MAX_GROUPS = 50_000
_BRIEF = Limits(answer_bytes=600, facts=2, fact_bytes=300, quotes=2, claims=4)

WHOLE_ANSWERS = 20
"""So many answers are kept with their whole text, others as far as their worst claim needs."""

ANSWERS_OF_A_VERDICT = 3
"""Of each verdict but LOW_GROUNDED, so many answers are kept."""

_Group = int | str
_Rank = tuple[_Badness, float]


def _badness(answer: AnswerRow) -> _Badness:
    """Rank an answer by its verdict, whether it contradicts a fact, and its scores.

    The worst answer has the highest rank. The least claim score counts before the support score.
    Answers without a score come after those with one.
    """
    claim, support = answer.min_claim_score, answer.support_score
    return (
        -_PLACES.get(answer.verdict, 1),
        any(each.fact is not None for each in answer.mismatches),
        -(_ABOVE_ALL_SCORES if claim is None else claim),
        -(support or 0.0),
    )


class _Kept(NamedTuple):
    """The worst answer of a group."""

    rank: _Rank
    group: _Group
    excerpt: AnswerExcerpt


class _Worst:
    """Keep the worst answers of so many groups."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._groups: dict[_Group, _Kept] = {}
        self._least: _Rank | None = None  # of the answers kept, if they are so many

    def add(self, group: _Group, rank: _Rank, cut: Callable[[], AnswerExcerpt]) -> None:
        """Keep an answer, cut, if it is the worst of its group, and among the worst so far."""
        kept = self._groups.get(group)
        least = kept.rank if kept else self._least
        if least is not None and rank < least:
            return
        self._groups[group] = _Kept(rank, group, cut())
        if len(self._groups) >= 2 * self._limit:
            self._groups = {each.group: each for each in self.worst()}
            self._least = min(each.rank for each in self._groups.values())

    def worst(self) -> list[_Kept]:
        return nlargest(self._limit, self._groups.values(), key=lambda each: each.rank)


class WorstAnswers:
    """Keep the worst low-grounded answers of a folder, and the worst few of each other verdict.

    Answers with the same engine, verdict, tags and worst claim are kept as one.
    """

    def __init__(self, limit: int = SHOWN_ANSWERS) -> None:
        self._whole = _Worst(min(limit, WHOLE_ANSWERS))
        self._brief = _Worst(limit)
        self._others: dict[str, _Worst] = {}
        self._records: Counter[_Group] = Counter()
        self._order = 0

    def add(self, row: AnswerRow) -> None:
        """Keep an answer if it is among the worst so far; of equal ones the earlier is kept."""
        self._order -= 1
        group, rank = _group_of(row), (_badness(row), self._order)
        if isinstance(group, int) and (group in self._records or len(self._records) < _MAX_GROUPS):
            self._records[group] += 1
        if row.verdict == Verdict.LOW_GROUNDED:
            self._whole.add(group, rank, partial(cut_answer, row))
            self._brief.add(group, rank, partial(cut_answer, row, _BRIEF))
            return
        name = cut_name(row.verdict) or ""
        if name not in self._others and len(self._others) < _MAX_VERDICTS:
            self._others[name] = _Worst(ANSWERS_OF_A_VERDICT)
        if name in self._others:
            self._others[name].add(group, rank, partial(cut_answer, row))

    def answers(self) -> list[AnswerExcerpt]:
        """Return the answers, the worst first."""
        # Of a group that is kept twice, the whole answer comes first.
        kept = [
            each
            for worst in (self._whole, self._brief, *self._others.values())
            for each in worst.worst()
        ]
        found: dict[_Group, AnswerExcerpt] = {}
        record_ids: set[str] = set()
        for each in sorted(kept, key=lambda each: each.rank, reverse=True):
            record_id = each.excerpt.answer.record_id
            if each.group not in found and record_id not in record_ids:
                found[each.group] = replace(each.excerpt, records=self._records.get(each.group, 1))
                record_ids.add(record_id)
        return list(found.values())


def _group_of(row: AnswerRow) -> _Group:
    """Return what answers with an equal claim have in common, or else the record's id."""
    if row.verdict != Verdict.LOW_GROUNDED or not row.claims:
        return row.record_id
    text = rank_claims(row)[0].claim.text
    return hash((row.engine, row.tags, text)) if text else row.record_id
