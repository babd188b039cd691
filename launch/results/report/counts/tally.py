"""All counts of a report."""

from bisect import bisect_right
from collections import Counter, deque

import msgspec

from groundwatch.launch.cli.terminal.figures import ACCURACY
from groundwatch.launch.results.shares import Sample, describe_share
from groundwatch.pipeline.sources.output_records import AlertLine, FailureLine, RunSummary
from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.verdict import Verdict, is_of_second
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.routing import CONTRADICTION
from groundwatch.transforms.rules.tagging import verdict_by
from groundwatch.transforms.rules.thresholds import Thresholds
from .escalations import Escalations
from .groups import ASSESSED, Groups
from .revisions import Revisions
from .score_grid import ScoreGrid
from .timeline import OTHERS, Timeline
from .untrusted_names import Combination, combination_of, cut_name, sources_of
from .worst_answers import SHOWN_ANSWERS, WorstAnswers

BINS = 20
_EDGES = [step / BINS for step in range(1, BINS)]
_ALERTING = AlertRule().verdicts
_MAX_NAMES = 1_000
_MAX_COMBINATIONS = 2_000
_MAX_RATE_ALERTS = 12


class NameCounts(Counter[str]):
    """Count untrusted names; names beyond the first thousand distinct ones count as others."""

    def add(self, name: str) -> None:
        name = cut_name(name) or ""
        self[name if name in self or len(self) < _MAX_NAMES else OTHERS] += 1


class Combinations(Counter[Combination]):
    """Count answers by engine, verdict and tags; beyond a maximum, engines count as others."""

    def add(self, answer: AnswerRow) -> None:
        engine, verdict, tags = combination_of(answer)
        for key, most in (
            ((engine, verdict, tags), _MAX_COMBINATIONS),
            ((OTHERS, verdict, tags), 2 * _MAX_COMBINATIONS),
        ):
            if key in self or len(self) < most:
                self[key] += 1
                return
        self[OTHERS, OTHERS, ()] += 1


class ScoreHistogram(Counter[int]):
    """Count scores, 0..1, in twentieths; a score on an edge belongs to the upper bin."""

    def add(self, score: float | None) -> None:
        """Count a score, unless it is None."""
        if score is not None:
            self[bisect_right(_EDGES, score)] += 1


class Latencies(Counter[int]):
    """Count latencies in milliseconds to two digits; the longest one is exact."""

    max_ms = 0

    def add(self, latency_ms: int) -> None:
        scale = 10 ** max(len(str(latency_ms)) - 2, 0)
        self[latency_ms // scale * scale] += 1
        self.max_ms = max(self.max_ms, latency_ms)

    def quantile_ms(self, share: float) -> int | None:
        """Return the quantile of a share, 0..1; None without any latency."""
        left = share * self.total()
        for latency_ms in sorted(self):
            left -= self[latency_ms]
            if left <= 0:
                return latency_ms
        return None


class FailureClass(msgspec.Struct):
    """The failures of one step with one error class."""

    step: str
    error_class: str
    example: str
    failures: int = 0
    retryable: int = 0


class Tally:
    """Accumulate the counts of a report in memory that does not grow with the records."""

    def __init__(self, thresholds: Thresholds, shown: int = SHOWN_ANSWERS) -> None:
        self.thresholds = thresholds
        self.verdicts: Counter[str] = Counter()
        self.reasons = NameCounts()
        self.tags = NameCounts()
        self.skip_reasons = NameCounts()
        self.combinations = Combinations()
        self.timeline = Timeline()
        self.support_scores = ScoreHistogram()
        self.claim_scores = ScoreHistogram()  # of each answer's least supported claim
        self.engines = Groups()
        self.sessions = Groups()
        self.sources = Groups()
        self.grid = ScoreGrid(thresholds)  # of engines without thresholds of their own
        self.engine_grids = {name: ScoreGrid(own) for name, own in thresholds.engines.items()}
        self.worst = WorstAnswers(shown)
        self.severities: Counter[str] = Counter()
        self.alert_kinds: Counter[str] = Counter()
        self.rate_alerts: deque[AlertLine] = deque(maxlen=_MAX_RATE_ALERTS)
        self._failures: dict[tuple[str, str], FailureClass] = {}
        self.escalations = Escalations()
        self.revisions = Revisions()
        self.latencies = Latencies()
        self.checked = self.cached = self.calls = self.characters = 0
        self.screened: Counter[str] = Counter()  # assessed answers by embedded checkers
        self.reported = 0  # low-grounded answers without a check: the generator reported them
        self.unscored_alerts = 0  # answers that alert by default under any thresholds
        self.unexplained_verdicts = 0  # those that do not follow from the thresholds

    def add_alert(self, alert: AlertLine) -> None:
        self.severities[alert.severity] += 1
        self.alert_kinds[alert.kind] += 1
        if alert.rate is not None:
            self.rate_alerts.append(alert)

    def add_failure(self, failure: FailureLine) -> None:
        key = failure.step, failure.error_class
        found = self._failures.setdefault(key, FailureClass(*key, example=failure.error))
        found.failures += 1
        found.retryable += failure.retryable

    def add_answer(self, answer: AnswerRow) -> None:
        self._count_verdict(answer)
        self._count_scores(answer)
        self._count_check(answer)
        self.escalations.add(answer)
        self.revisions.add(answer)
        self.worst.add(answer)

    @property
    def answers(self) -> int:
        return self.verdicts.total()

    @property
    def assessed(self) -> int:
        """How many answers are grounded or low-grounded."""
        return sum(self.verdicts[verdict] for verdict in ASSESSED)

    @property
    def scored(self) -> int:
        """How many answers are grounded or low-grounded by the scores of a check."""
        return self.assessed - self.reported

    @property
    def low_scored(self) -> int:
        """How many answers are low-grounded by the scores of a check."""
        return self.low_grounded - self.reported

    @property
    def contradicting(self) -> int:
        """How many answers are low-grounded since a claim contradicts a fact."""
        return self.reasons[CONTRADICTION]

    @property
    def screen(self) -> str | None:
        """The embedded checker that has scored all answers, if it was one."""
        of_most = self.screened.most_common(1)
        return next((name for name, answers in of_most if answers == self.scored), None)

    @property
    def low_grounded(self) -> int:
        return self.verdicts[Verdict.LOW_GROUNDED]

    @property
    def unread(self) -> int:
        """How many failures no retry can resolve."""
        return sum(each.failures - each.retryable for each in self._failures.values())

    def failures(self) -> list[FailureClass]:
        """Return the failures by class, the most frequent class first."""
        return sorted(self._failures.values(), key=lambda found: -found.failures)

    def _count_verdict(self, answer: AnswerRow) -> None:
        self.verdicts[answer.verdict] += 1
        self.reasons.add(answer.verdict_reason)
        for tag in answer.tags:
            self.tags.add(tag)
        for reason in answer.skip_reasons:
            self.skip_reasons.add(reason)
        self.combinations.add(answer)
        self.timeline.add(answer.event_time_us, answer.verdict, cut_name(answer.engine))
        self.engines.add(answer.engine, answer.verdict)
        if answer.session is not None:
            self.sessions.add(answer.session, answer.verdict)
        for key, title in sources_of(answer).items():
            self.sources.add(key, answer.verdict, title)

    def _count_scores(self, answer: AnswerRow) -> None:
        support, claim = answer.support_score, answer.min_claim_score
        if support is None and claim is None:
            self.unscored_alerts += answer.verdict in _ALERTING
            return
        self.support_scores.add(support)
        self.claim_scores.add(claim)
        grid = self.engine_grids.get(answer.engine or "", self.grid)
        grid.add(support, claim)
        self.unexplained_verdicts += answer.verdict != verdict_by(answer, grid.thresholds)

    def _count_check(self, answer: AnswerRow) -> None:
        if answer.check is None:
            self.reported += answer.verdict == Verdict.LOW_GROUNDED
            return
        self.checked += 1
        checker = answer.check.checker
        if checker in ACCURACY and answer.verdict in ASSESSED:
            self.screened[checker] += 1
        if answer.screen is not None and not is_of_second(answer.tags):
            return  # calls, cost and latencies are those of the second checker
        self.cached += answer.check.cached
        # Records of version 1 count repeated requests among the attempts alone.
        self.calls += answer.check.attempts
        self.characters += answer.check.characters
        if answer.check.calls:
            self.latencies.add(answer.check.latency_ms)


class Findings(Record, frozen=True, kw_only=True):
    """The counts of an output folder, its last summary, and the reasons of unreadable files.

    `measured` says how far its verdicts agree with labels of the user, "" without any.
    """

    tally: Tally
    summary: RunSummary | None
    unreadable: tuple[str, ...]
    measured: str = ""

    @property
    def accuracy(self) -> str:
        """Say how far the verdicts can be trusted, by labels or public answers; "" if unknown."""
        return self.measured or ACCURACY.get(self.tally.screen or "", "")

    @property
    def of_all(self) -> str:
        """What is known of all answers where the last run drew a share of them, "" elsewhere."""
        if not self.summary or not self.summary.sampled_out:
            return ""
        all_answers = self.tally.answers + self.summary.sampled_out
        scored = round(self.tally.assessed * all_answers / max(self.tally.answers, 1))
        sample = Sample(scored, self.tally.assessed, self.tally.low_grounded)
        found = describe_share([sample], "drawn", "--sample")
        return f"A random share of the answers was drawn; low-grounded of all: {found}."
