"""The options by which a reader filters the answers of a page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from launch.report.counts.worst_answers import AnswerExcerpt
from schemas import Record

_UNKNOWN = "unknown"


class Option(NamedTuple):
    """The number of an option in its list, which stands for its text, and its answers."""

    number: int
    answers: int


class Filters(Record, frozen=True, kw_only=True):
    """The engines, verdicts and tags of answers, in alphabetical order."""

    engines: dict[str, Option]
    verdicts: dict[str, Option]
    tags: dict[str, Option]

    @staticmethod
    def engine_of(excerpt: AnswerExcerpt) -> str:
        """Name the engine of an answer."""
        return excerpt.answer.engine or _UNKNOWN


def filters_of(answers: Sequence[AnswerExcerpt]) -> Filters:
    """List what the answers can be filtered by."""
    return Filters(
        engines=_options(map(Filters.engine_of, answers)),
        verdicts=_options(each.answer.verdict for each in answers),
        tags=_options(tag for each in answers for tag in set(each.answer.tags)),
    )


def _options(names: Iterable[str]) -> dict[str, Option]:
    counts = sorted(Counter(names).items())
    return {name: Option(number, count) for number, (name, count) in enumerate(counts)}
