"""All counts of a report."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from launch.report.counts.distributions import Latencies, NameCounts, ScoreHistogram
from launch.report.counts.failures import AlertCounts, FailureCounts
from launch.report.counts.groups import GeneratorComparisons, Groups
from launch.report.counts.lowest_scores import LowestScores
from launch.report.counts.thresholds import ScoreGrid
from launch.report.counts.timeline import Timeline
from launch.report.output_records import ASSESSED, AnswerRow, RunSummary, answer_from_row
from schemas import Record
from schemas.verdict import Verdict
from transforms.rules.alerting import AlertRule
from transforms.rules.routing import ABOVE_THRESHOLDS, CLAIM_SCORE, SUPPORT_SCORE
from transforms.rules.tagging import Thresholds, score_verdict

_ALERTING = AlertRule().verdicts
_BY_SCORE = frozenset({ABOVE_THRESHOLDS, CLAIM_SCORE, SUPPORT_SCORE})


class Tally:
    """Accumulate the counts of a report in memory that does not grow with the records.

    Args:
      thresholds: those in force.
      labels: whether a person labelled an answer unsupported, by record id or answer name.

    Attributes:
      verdicts, reasons, tags, skip_reasons: counts of answers by each.
      claim_scores: the distribution of each answer's least claim score.
      engines, sessions, sources: counts by origin.
      grid: the scores, for other thresholds.
      checked, cached: answers with a check, and those of them served by the cache.
      calls, characters: requests sent for the checks, and their characters.
      unscored_alerts: answers that alert by default under any thresholds: policy-skipped, or
        reported as low-grounded by the generator.
      unexplained_verdicts: scored answers whose verdict the thresholds do not explain.
    """

    def __init__(self, thresholds: Thresholds, labels: Mapping[str, bool]) -> None:
        self.thresholds = thresholds
        self.labels = labels
        self._labels_matched: set[str] = set()
        self.verdicts: Counter[str] = Counter()
        self.reasons = NameCounts()
        self.tags = NameCounts()
        self.skip_reasons = NameCounts()
        self.timeline = Timeline()
        self.support_scores = ScoreHistogram()
        self.claim_scores = ScoreHistogram()
        self.engines = Groups()
        self.sessions = Groups()
        self.sources = Groups()
        self.generators = GeneratorComparisons()
        self.grid = ScoreGrid(thresholds)
        self.lowest = LowestScores()
        self.alerts = AlertCounts()
        self.failures = FailureCounts()
        self.latencies = Latencies()
        self.checked = self.cached = self.calls = self.characters = 0
        self.unscored_alerts = self.unexplained_verdicts = 0

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Count an enriched record, as fastavro reads it."""
        answer = answer_from_row(row)
        self._count_verdict(answer)
        self._count_scores(answer)
        self._count_check(answer)
        self.generators.add(answer)
        self.lowest.add(answer)
        self.failures.resolve(answer.record_id)

    @property
    def answers(self) -> int:
        """How many enriched records there are."""
        return self.verdicts.total()

    @property
    def assessed(self) -> int:
        """How many answers are grounded or low-grounded."""
        return sum(self.verdicts[verdict] for verdict in ASSESSED)

    @property
    def low_grounded(self) -> int:
        """How many answers are low-grounded."""
        return self.verdicts[Verdict.LOW_GROUNDED]

    @property
    def labels_matched(self) -> int:
        """How many labels match a scored answer."""
        return len(self._labels_matched)

    def share_of(self, verdict: str) -> float | None:
        """Return the share of answers with a verdict, 0..1; None without any answer."""
        return self.verdicts[verdict] / self.answers if self.answers else None

    def _count_verdict(self, answer: AnswerRow) -> None:
        self.verdicts[answer.verdict] += 1
        self.reasons.add(answer.verdict_reason)
        for tag in answer.tags:
            self.tags.add(tag)
        for reason in answer.skip_reasons:
            self.skip_reasons.add(reason)
        self.timeline.add(answer.event_time_us, answer.verdict)
        self.engines.add(answer.engine, answer.verdict)
        if answer.session is not None:
            self.sessions.add(answer.session, answer.verdict)
        for source in answer.sources():
            self.sources.add(source.key, answer.verdict, source.title)

    def _count_scores(self, answer: AnswerRow) -> None:
        support, claim = answer.support_score, answer.min_claim_score
        if support is None and claim is None:
            self.unscored_alerts += answer.verdict in _ALERTING
            return
        self.support_scores.add(support)
        self.claim_scores.add(claim)
        self.grid.add(support, claim, self._label(answer))
        expected = score_verdict(support, claim, self.thresholds).verdict
        self.unexplained_verdicts += (
            answer.verdict_reason in _BY_SCORE and answer.verdict != expected
        )

    def _label(self, answer: AnswerRow) -> bool | None:
        for name in filter(None, (answer.record_id, answer.answer_name)):
            if name in self.labels:
                self._labels_matched.add(name)
                return self.labels[name]
        return None

    def _count_check(self, answer: AnswerRow) -> None:
        if answer.check is None:
            return
        self.checked += 1
        self.cached += answer.check.cached
        # Records of version 1 count repeated requests among the attempts alone.
        self.calls += answer.check.attempts
        self.characters += answer.check.characters
        if answer.check.calls:
            self.latencies.add(answer.check.latency_ms)


class Findings(Record, frozen=True, kw_only=True):
    """The content of an output folder.

    Attributes:
      tally: the counts.
      summary: that of the last run, None if there is none yet.
      unreadable: the files that could not be read to their end, each with its reason.
    """

    tally: Tally
    summary: RunSummary | None
    unreadable: tuple[str, ...]
