"""An answer between routing and its verdict; `enriched_answer.avsc` describes most fields."""

from . import Record
from .answer import Answer
from .verdict import Tag, Verdict


class Decision(Record, frozen=True, kw_only=True):
    """A verdict and its reason, such as ``POLICY_SKIPPED`` by ``JAIL_BREAKING...``."""

    verdict: Verdict
    reason: str


class Claim(Record, frozen=True, kw_only=True):
    """One sentence of an answer, as the checker returned it."""

    text: str
    start: int
    end: int
    score: float | None = None
    grounding_check_required: bool | None = None
    citations: tuple[int, ...] = ()
    citation_starts: tuple[int, ...] = ()
    generator_score: float | None = None

    @property
    def required_score(self) -> float | None:
        """The score, 0..1, if the claim required a check and has one."""
        return None if self.grounding_check_required is False else self.score


class Contradiction(Record, frozen=True, kw_only=True):
    """A value of a claim that contradicts the facts."""

    claim: int
    kind: str
    claim_value: str
    fact_value: str | None = None
    fact: int | None = None


class VerdictThresholds(Record, frozen=True, kw_only=True):
    """The thresholds, 0..1, by which a verdict was decided."""

    low_grounded: float
    claim: float


class Check(Record, frozen=True, kw_only=True):
    """How an answer was checked, by which revision of the checker, and by which thresholds."""

    checker: str
    calls: int
    attempts: int
    characters: int
    latency_ms: int
    checked_at_us: int
    citation_threshold: float | None = None
    cached: bool = False
    unknown_members: tuple[str, ...] = ()
    revision: str | None = None
    thresholds: VerdictThresholds | None = None


class Screen(Record, frozen=True, kw_only=True):
    """What the first of two checkers found.

    `characters` are those of its requests. An answer whose lowest score is below `escalate_below`,
    0..1, is uncertain; of the others, the second one checks the random share `audit_share`, 0..1.
    """

    checker: str
    verdict: str
    verdict_reason: str
    support_score: float | None
    min_claim_score: float | None
    characters: int
    escalate_below: float
    audit_share: float
    revision: str | None = None


class Grounding(Record, frozen=True, kw_only=True):
    """The result of a check, with the claims in the order of the answer.

    The support score, 0..1, is about the share of supported claims; None if no claim needs a check.
    `recombined` says that it combines the results of several calls. `contradictions` are those that
    the checker found, None if it does not look for any. `unread_language` says that words alone
    gave scores, since the checker's model does not read the language; `partly_compared` that no
    contradictions were looked for in a part of the answer, which was too long.
    """

    support_score: float | None
    claims: tuple[Claim, ...]
    recombined: bool = False
    contradictions: tuple[Contradiction, ...] | None = None
    unread_language: bool = False
    partly_compared: bool = False

    @property
    def required_scores(self) -> list[float]:
        """The scores, 0..1, of the claims that required a check."""
        return [score for each in self.claims if (score := each.required_score) is not None]


class CheckedAnswer(Record, frozen=True, kw_only=True):
    """An answer with the decision that it needs no check, or with its check once it is made.

    `decision` is that of routing, or UNSCORABLE if the answer needs too many calls. With two
    checkers `screen` is what the first one found, and `escalation` says why the second one checked
    it, or that it did not; None if it did not have to. `over_budget` says that the budget did not
    allow it.
    """

    answer: Answer
    decision: Decision | None = None
    grounding: Grounding | None = None
    check: Check | None = None
    screen: Screen | None = None
    escalation: Tag | None = None
    over_budget: bool = False
