"""What a check finds out about a claim."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from groundwatch.schemas import Record
from groundwatch.transforms.lexical.contradictions.difference import Difference
from groundwatch.transforms.lexical.reading.answer_sentences import Sentence
from .support_score import logit

_MIN_DOUBT = 1e-6
"""Probabilities are kept this far from 0 and 1, whose log odds are infinite."""


WRONG = logit(0.2)
"""A claim that contradicts a fact, or has a value that no source has, scores at most that."""


class ClaimResult(NamedTuple):
    """The log odds of a claim, None if it requires no check, and the facts that it cites.

    `differences` are what it contradicts, None if nobody looked. `gain` is how much its log odds
    rise if its neighbours are supported. `is_wrong` says that no score of a model makes up for what
    the words have found. `is_partly_compared` says that a limit of what is compared was reached.
    """

    log_odds: float | None = None
    cited: Sequence[int] = ()
    differences: Sequence[Difference] | None = None
    gain: float = 0.0
    is_wrong: bool = False
    is_partly_compared: bool = False


class ScorerFailed(Exception):
    """Claims cannot be scored; the HTTP status says whether another attempt can help.

    `retry_after` is the header of that name that a service sent.
    """

    def __init__(self, status: int, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class ScoredAnswer(Record, frozen=True, kw_only=True):
    """The claims of an answer that require a check, the whole answer, and what the user asked.

    The claims are in order. A short answer has its question in front: "Is it free? Yes.".
    """

    text: str
    claims: Sequence[Sentence]
    question: str | None = None


ScoreClaims = Callable[[ScoredAnswer, Sequence[str], float], list[ClaimResult] | None]
"""Score the claims of an answer by the facts; cite facts from a probability, 0..1.

None says that the scorer does not read the language of the answer or the facts.
"""


def bounded_log_odds(probability: float) -> float:
    """Return the log odds of a probability, 0..1, kept finite."""
    return logit(min(max(probability, _MIN_DOUBT), 1 - _MIN_DOUBT))
