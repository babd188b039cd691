"""Whether a score means what it says: the share of supported examples by their score."""

from collections import defaultdict
from collections.abc import Sequence

from launch.evaluate.statistics.example import Example
from schemas import Record

_BINS = 10


class Bin(Record, frozen=True, kw_only=True):
    """The examples whose scores lie in one tenth.

    Attributes:
      low, high: the ends of the tenth; the last one holds its upper end.
      count: how many examples.
      mean_score: of them, 0..1.
      supported: the share of them that is, 0..1.
    """

    low: float
    high: float
    count: int
    mean_score: float
    supported: float


class Calibration(Record, frozen=True, kw_only=True):
    """Scores against the share that is supported.

    Attributes:
      bins: those that hold anything, in ascending order.
      expected_error: the distance between mean score and supported share, averaged over the
        examples; 0 for a score that is a probability.
    """

    bins: tuple[Bin, ...]
    expected_error: float


def calibrate(examples: Sequence[Example]) -> Calibration | None:
    """Sort examples into tenths by their scores.

    Returns:
      None where no example has a score.

    Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
    Bayesian Binning", AAAI 2015, for the expected calibration error.
    """
    by_bin: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for example in examples:
        if example.score is not None:
            number = min(int(example.score * _BINS), _BINS - 1)
            by_bin[number].append((example.score, not example.is_unsupported))
    bins = tuple(_bin(number, by_bin[number]) for number in sorted(by_bin))
    total = sum(each.count for each in bins)
    if not total:
        return None
    error = sum(each.count * abs(each.mean_score - each.supported) for each in bins) / total
    return Calibration(bins=bins, expected_error=error)


def _bin(number: int, examples: Sequence[tuple[float, bool]]) -> Bin:
    count = len(examples)
    return Bin(
        low=number / _BINS,
        high=(number + 1) / _BINS,
        count=count,
        mean_score=sum(score for score, _ in examples) / count,
        supported=sum(is_supported for _, is_supported in examples) / count,
    )
