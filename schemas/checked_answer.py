"""What is known of an answer on its way from routing to its verdict."""

from schemas import Record
from schemas.answer import Answer
from schemas.verdict import Verdict


class Decision(Record, frozen=True, kw_only=True):
    """A verdict and the reason for it, such as ``POLICY_SKIPPED`` by ``JAIL_BREAKING...``."""

    verdict: Verdict
    reason: str


class RoutedAnswer(Record, frozen=True, kw_only=True):
    """An answer that is decided already, or that needs a check.

    Attributes:
      answer: the answer.
      decision: its verdict where no check is needed, None where one is.
    """

    answer: Answer
    decision: Decision | None = None


class Claim(Record, frozen=True, kw_only=True):
    """One sentence of an answer as the checker saw it.

    Attributes:
      text: the claim; equal to the answer's bytes from start to end.
      start, end: UTF-8 byte offsets into the answer, end exclusive.
      score: 0..1, how well the facts support it; None when no check was required.
      grounding_check_required: False for a greeting and the like, None when not said.
      citations: indices into the answer's facts, ascending.
      citation_starts: for each citation, the byte of the fact at which the cited part begins;
        0 unless the fact was too long for one piece.
      generator_score: 0..1, what the generator's own check gave it; None if it gave nothing.
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
    """A value that a claim and its facts tell differently.

    Attributes:
      claim: the index of the claim.
      kind: what differs, such as ``NUMBER``.
      claim_value: what the claim says, as it writes it.
      fact_value: what a fact says in its place; None where none says anything.
      fact: the index of that fact, None without.
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
      calls: requests that were sent, failed and repeated ones included; what was in the cache
        needed none.
      attempts: the same number; before version 2 `calls` did not count repeated requests.
      characters: of answer and facts in all these requests, the unit of the service's bill.
      latency_ms: from the first request to the last reply, waiting between retries included.
      checked_at_us: when the last reply came, microseconds since 1970 UTC.
      citation_threshold: 0..1, the score from which a fact is cited; None for the service's own.
      cached: whether every reply came from the worker's cache.
      unknown_members: JSON of what no page describes, for each reply that held any.
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
    """What the check found.

    Attributes:
      support_score: 0..1, about the share of supported claims; None when no claim needs a check.
      claims: in the order of the answer.
      recombined: whether it was put together from several calls.
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
    """An answer with its check, or with the decision that made a check needless.

    Attributes:
      answer: the answer.
      decision: as routed, or UNSCORABLE where splitting found too many calls; None when checked.
      grounding, check: the findings and how they came about; None when there was no call.
    """

    answer: Answer
    decision: Decision | None = None
    grounding: Grounding | None = None
    check: Check | None = None
