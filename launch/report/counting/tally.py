"""Everything the report counts, in one place, fed record by record."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from launch.report.counting.generator_views import GeneratorViews
from launch.report.counting.groups import Groups
from launch.report.counting.mishaps import AlertCounts, FailureCounts
from launch.report.counting.names import NameCounts
from launch.report.counting.scores import Latencies, ScoreHistogram
from launch.report.counting.seen import (
    JUDGED,
    SeenAlert,
    SeenAnswer,
    SeenFailure,
    answer_from_row,
)
from launch.report.counting.timeline import Timeline
from launch.report.counting.what_if import ScoreGrid
from launch.report.counting.worst import WorstAnswers
from schemas.verdict import Verdict
from transforms.rules.alerting import AlertRule
from transforms.rules.tagging import Thresholds, score_verdict
from transforms.rules.verdicts import ABOVE_THRESHOLDS, CLAIM_SCORE, SUPPORT_SCORE

_ALERTING = AlertRule().verdicts
_BY_SCORE = frozenset({ABOVE_THRESHOLDS, CLAIM_SCORE, SUPPORT_SCORE})


class Tally:
    """Accumulates the counts of a report, in memory that does not grow with the records.

    Args:
      thresholds: those in force, as far as is known.
      labels: what people said of answers: True for unsupported, by record id or answer name.

    Attributes:
      verdicts, reasons, tags, skip_reasons: answers by verdict, by the reason for it, by tag, and
        by the generator's reasons to skip or withhold.
      timeline: verdicts over time.
      support_scores, claim_scores: how support scores, and each answer's least claim score, are
        spread.
      engines, sessions, sources: where the answers come from.
      generators: the generators' own view beside the check's.
      grid: the scores, for other thresholds.
      worst: the answers to read first.
      alerts, failures: what else was written.
      latencies: of the checks that called.
      checked, cached: answers with a check, and those of them that were paid for before.
      calls, characters: requests sent for the checks, and their characters.
      unscored_alerts: answers that alert by default whatever the thresholds: policy-skipped, or
        low-grounded as the generator said itself.
      strangers: scored answers whose verdict the thresholds do not explain.
    """

    def __init__(self, thresholds: Thresholds, labels: Mapping[str, bool]) -> None:
        self.thresholds = thresholds
        self.labels = labels
        self._labels_met: set[str] = set()
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
        self.generators = GeneratorViews()
        self.grid = ScoreGrid(thresholds)
        self.worst = WorstAnswers()
        self.alerts = AlertCounts()
        self.failures = FailureCounts()
        self.latencies = Latencies()
        self.checked = self.cached = 0
        self.calls = self.characters = 0
        self.unscored_alerts = 0
        self.strangers = 0

    def add_alert(self, alert: SeenAlert) -> None:
        """Count an alert."""
        self.alerts.add(alert)

    def add_failure(self, failure: SeenFailure) -> None:
        """Count a failure; all of them before the first answer, which may mend one."""
        self.failures.add(failure)

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Count an enriched record, as fastavro reads it."""
        answer = answer_from_row(row)
        self._count_verdict(answer)
        self._count_scores(answer)
        self._count_check(answer, has_check=row.get("check") is not None)
        self.generators.add(answer)
        self.worst.add(answer, row)
        self.failures.mend(answer.record_id)

    @property
    def answers(self) -> int:
        """How many enriched records there are."""
        return self.verdicts.total()

    @property
    def judged(self) -> int:
        """How many answers were found grounded or low-grounded."""
        return sum(self.verdicts[verdict] for verdict in JUDGED)

    @property
    def low_grounded(self) -> int:
        """How many answers are low-grounded."""
        return self.verdicts[Verdict.LOW_GROUNDED]

    @property
    def labels_met(self) -> int:
        """How many labels met an answer."""
        return len(self._labels_met)

    def share_of(self, verdict: str) -> float | None:
        """How much of the answers has a verdict, 0..1; None without any."""
        return self.verdicts[verdict] / self.answers if self.answers else None

    def _count_verdict(self, answer: SeenAnswer) -> None:
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
        for source in answer.sources:
            self.sources.add(source.key, answer.verdict, source.title)

    def _count_scores(self, answer: SeenAnswer) -> None:
        if answer.support_score is None and answer.min_claim_score is None:
            self.unscored_alerts += answer.verdict in _ALERTING
            return
        self.support_scores.add(answer.support_score)
        self.claim_scores.add(answer.min_claim_score)
        self.grid.add(answer.support_score, answer.min_claim_score, self._label(answer))
        judged = score_verdict(answer.support_score, answer.min_claim_score, self.thresholds)
        self.strangers += answer.verdict_reason in _BY_SCORE and answer.verdict != judged.verdict

    def _label(self, answer: SeenAnswer) -> bool | None:
        for name in filter(None, (answer.record_id, answer.answer_name)):
            if name in self.labels:
                self._labels_met.add(name)
                return self.labels[name]
        return None

    def _count_check(self, answer: SeenAnswer, *, has_check: bool) -> None:
        self.checked += has_check
        self.cached += answer.cached
        # Records of version 1 count repeated requests among the attempts alone.
        self.calls += answer.attempts
        self.characters += answer.characters
        if answer.calls:
            self.latencies.add(answer.latency_ms)
