"""Check the same answers by words, by a model of one's own, and by both."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee

from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.check_one import check_answers
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.grounding.errors import is_of_answer
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import Routed, enrich_answers

Enriched = EnrichedAnswer | ParseFailure | Exception
"""A record, or why there is none."""

CheckAll = Callable[[Iterable[Routed]], Iterable[Routed | Exception]]
"""Check answers, and pass everything else."""


def check_by_weights(
    routed: Iterable[Routed],
    checker: CheckerSettings,
    weights: Sequence[float],
    check: CheckAll,
    thresholds: Thresholds,
) -> Iterator[tuple[Enriched, dict[float, EnrichedAnswer]]]:
    """Check answers, and again by the embedded checker alone with each weight of its model.

    If one of the latter fails, they have no records. The checks go on side by side, so that the
    model scores each answer once.

    Args:
      routed: messages that were read; bounded.
      checker: has the model.
      weights: of the model.
      check: the check whose outcomes come first, with two checkers or a service, if there are any.
      thresholds: decide all verdicts.

    Raises:
      RunStopped: no answer can be checked with one of the weights.
    """
    alone = (checker.alone(each) for each in weights)
    checks: list[CheckAll] = [check, *(partial(check_answers, settings=each) for each in alone)]
    streams = [
        enrich_answers(of_each, each, thresholds)
        for of_each, each in zip(tee(routed, len(checks)), checks, strict=True)
    ]
    for outcome, *others in zip(*streams, strict=True):
        yield outcome, _records_by_weight(weights, others)


def _records_by_weight(
    weights: Sequence[float], outcomes: Sequence[Enriched]
) -> dict[float, EnrichedAnswer]:
    """Return an answer's record by weight; none if a check failed on the answer.

    Raises:
      Exception: an outcome that is more than the failure of one answer.
    """
    for outcome in outcomes:
        if isinstance(outcome, Exception) and not is_of_answer(outcome):
            raise outcome
    records = [each for each in outcomes if isinstance(each, EnrichedAnswer)]
    return dict(zip(weights, records, strict=True)) if len(records) == len(weights) else {}
