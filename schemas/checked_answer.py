"""An answer between routing and its verdict: the decision, the check and its result."""

from schemas import Record
from schemas.answer import Answer
from schemas.verdict import Verdict


class Decision(Record, frozen=True, kw_only=True):
    """A verdict and its reason, such as ``POLICY_SKIPPED`` by ``JAIL_BREAKING...``."""

    verdict: Verdict
    reason: str


class RoutedAnswer(Record, frozen=True, kw_only=True):
    """An answer and its verdict; `decision` is None if it needs a check."""

    answer: Answer
    decision: Decision | None = None


class Claim(Record, frozen=True, kw_only=True):
    """One sentence of an answer, as the checker returned it.

    Attributes:
      text: equal to the answer's bytes from start to end, which is exclusive.
      score: 0..1, its support by the facts; None if no check was required.
      grounding_check_required: False for a greeting and the like, None if unknown.
      citations: indices into the answer's facts, ascending.
      citation_starts: for each citation, the byte offset of the cited part in the fact.
      generator_score: 0..1, the score of the generator's own check; None if it made none.
    """

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
    """A value of a claim, given by its index, that contradicts the facts.

    The values are as they are written. `fact` is the index of the fact that has a comparable value.
    """

    claim: int
    kind: str
    claim_value: str
    fact_value: str | None = None
    fact: int | None = None


class Check(Record, frozen=True, kw_only=True):
    """How an answer was checked.

    Attributes:
      checker: ``local``, ``discoveryengine``, or the address of the server that answered.
      calls: requests sent, including failed requests and retries; cached replies need none.
      attempts: the same number; before version 2 `calls` did not count retries.
      characters: of answer and facts in all these requests, the unit of the service's bill.
      latency_ms: from the first request to the last reply, including the wait between retries.
      checked_at_us: when the last reply arrived, microseconds since 1970 UTC.
      citation_threshold: 0..1, from which a fact is cited; None for the service's default.
      unknown_members: the undocumented fields of each reply that has any, as JSON.
    """

    checker: str
    calls: int
    attempts: int
    characters: int
    latency_ms: int
    checked_at_us: int
    citation_threshold: float | None = None
    cached: bool = False
    unknown_members: tuple[str, ...] = ()


class Grounding(Record, frozen=True, kw_only=True):
    """The result of a check, with the claims in the order of the answer.

    The support score, 0..1, is about the share of supported claims; None if no claim needs a check.
    `recombined` says that it combines the results of several calls.
    """

    support_score: float | None
    claims: tuple[Claim, ...]
    recombined: bool = False

    @property
    def required_scores(self) -> list[float]:
        """The scores, 0..1, of the claims that required a check."""
        scores = (claim.required_score for claim in self.claims)
        return [score for score in scores if score is not None]


class CheckedAnswer(Record, frozen=True, kw_only=True):
    """An answer with its check, or with the decision that it needs none.

    `decision` is that of routing, or UNSCORABLE if the answer needs too many calls; it is None if
    the answer was checked. `grounding` and `check` are None without a call.
    """

    answer: Answer
    decision: Decision | None = None
    grounding: Grounding | None = None
    check: Check | None = None
