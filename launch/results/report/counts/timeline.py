"""Verdicts by engine over time, in buckets whose width fits the time span."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import accumulate

from groundwatch.schemas import Record
from groundwatch.schemas.quantities import DAY_US, HOUR_US, MINUTE_US

_WEEK_US = 7 * DAY_US
MONDAY_US = 4 * DAY_US  # 1970-01-05, the first Monday: all buckets are counted from it
WIDTHS_US = {
    5 * MINUTE_US: "5 minutes",
    HOUR_US: "1 hour",
    6 * HOUR_US: "6 hours",
    DAY_US: "1 day",
    _WEEK_US: "1 week",
    4 * _WEEK_US: "4 weeks",
    52 * _WEEK_US: "52 weeks",
    520 * _WEEK_US: "10 years",
}
"""The widths of buckets; each is a multiple of the one before."""

_MAX_BUCKETS = 600
_MAX_COLUMNS = 84
_MAX_ENGINES = 50
_OUTLIERS_ONE_IN = 100
_MARGIN_RATIO = 2  # outliers are so many times as far away as all others lie apart

OTHERS = "(others)"
"""Stands for the engines after the first fifty."""

_Key = tuple[str | None, str]  # engine and verdict
_Buckets = Mapping[int, Counter[_Key]]
_Spans = dict[int, tuple[int, int]]  # the first and the last time of each bucket


class Columns(Record, frozen=True, kw_only=True):
    """Verdicts by the start of consecutive buckets, and how many answers are in no column."""

    width_us: int
    verdicts: dict[int, Counter[str]]
    outliers: int

    @property
    def width(self) -> str:
        """The width in words."""
        return WIDTHS_US[self.width_us]


class Timeline:
    """Count verdicts by engine and bucket; buckets become wider when there are too many."""

    def __init__(self) -> None:
        self._widths = list(WIDTHS_US)
        self._buckets: dict[int, Counter[_Key]] = {}
        self._spans: _Spans = {}
        self._engines: set[str | None] = set()
        self.undated = 0

    def add(self, time_us: int | None, verdict: str, engine: str | None = None) -> None:
        if time_us is None:
            self.undated += 1
            return
        if engine not in self._engines:
            engine = engine if len(self._engines) < _MAX_ENGINES else OTHERS
            self._engines.add(engine)
        start_us = _start(time_us, self._widths[0])
        self._buckets.setdefault(start_us, Counter())[engine, verdict] += 1
        _extend(self._spans, start_us, (time_us, time_us))
        if len(self._buckets) > _MAX_BUCKETS and len(self._widths) > 1:
            del self._widths[0]
            self._buckets = _widen(self._buckets, self._widths[0])
            spans, self._spans = self._spans, {}
            for start_us, span_us in spans.items():
                _extend(self._spans, _start(start_us, self._widths[0]), span_us)

    def period(self) -> tuple[int, int] | None:
        """Return the first and the last time, without outliers; None if no answer has a time."""
        if not self._buckets:
            return None
        first_us, last_us = _main_span(self._buckets, self._widths[0])
        return self._spans[first_us][0], self._spans[last_us][1]

    def columns(self) -> Columns:
        """Return columns of the finest width that fits; none if no answer has a time."""
        width_us, columns, outliers = self._columns(_MAX_COLUMNS)
        return Columns(
            width_us=width_us,
            verdicts={start_us: _by_verdict(counts) for start_us, counts in columns.items()},
            outliers=outliers,
        )

    def by_engine(self, max_columns: int) -> dict[str | None, Columns]:
        """Return columns of each engine, those with the most answers first."""
        width_us, columns, _ = self._columns(max_columns)
        totals = Counter[str | None]()
        for counts in columns.values():
            for (engine, _verdict), answers in counts.items():
                totals[engine] += answers
        ranked = sorted(totals, key=lambda name: (name == OTHERS, -totals[name], name or ""))
        return {
            engine: Columns(
                width_us=width_us,
                verdicts={
                    start_us: _by_verdict(counts, of={engine})
                    for start_us, counts in columns.items()
                },
                outliers=0,
            )
            for engine in ranked
        }

    def _columns(self, max_columns: int) -> tuple[int, _Buckets, int]:
        """Return the width of the columns, their counts, and how many answers are in none."""
        if not self._buckets:
            return self._widths[0], {}, 0
        first_us, last_us = _main_span(self._buckets, self._widths[0])
        fitting = (
            each for each in self._widths if len(_starts(first_us, last_us, each)) <= max_columns
        )
        width_us = next(fitting, self._widths[-1])
        within = {us: counts for us, counts in self._buckets.items() if first_us <= us <= last_us}
        buckets = _widen(within, width_us)
        starts_us = _starts(first_us, last_us, width_us)
        outliers = sum(counts.total() for us, counts in self._buckets.items() if us not in within)
        return width_us, {us: buckets.get(us, Counter()) for us in starts_us}, outliers


def _by_verdict(counts: Counter[_Key], of: Container[str | None] | None = None) -> Counter[str]:
    verdicts = Counter[str]()
    for (engine, verdict), answers in counts.items():
        if of is None or engine in of:
            verdicts[verdict] += answers
    return verdicts


def _start(time_us: int, width_us: int) -> int:
    return (time_us - MONDAY_US) // width_us * width_us + MONDAY_US


def _starts(first_us: int, last_us: int, width_us: int) -> range:
    return range(_start(first_us, width_us), _start(last_us, width_us) + 1, width_us)


def _extend(spans: _Spans, start_us: int, span_us: tuple[int, int]) -> None:
    found = spans.get(start_us, span_us)
    spans[start_us] = min(found[0], span_us[0]), max(found[1], span_us[1])


def _widen(buckets: _Buckets, width_us: int) -> dict[int, Counter[_Key]]:
    wide: dict[int, Counter[_Key]] = {}
    for start_us, verdicts in buckets.items():
        wide.setdefault(_start(start_us, width_us), Counter()).update(verdicts)
    return wide


def _main_span(buckets: _Buckets, width_us: int) -> tuple[int, int]:
    """Return the span without outliers: one wrong clock would put all others into one column."""
    starts = sorted(buckets)
    totals = [buckets[start].total() for start in starts]
    first, last = starts[_count_outliers(totals)], starts[-1 - _count_outliers(totals[::-1])]
    margin_us = _MARGIN_RATIO * (last - first + width_us)
    near = [start for start in starts if first - margin_us <= start <= last + margin_us]
    return near[0], near[-1]


def _count_outliers(totals: Sequence[int]) -> int:
    """Count the buckets at one end that together hold at most one answer in a hundred."""
    most = sum(totals) // _OUTLIERS_ONE_IN
    return sum(reached <= most for reached in accumulate(totals))
