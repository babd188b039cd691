"""What the second of two checkers found, among the answers that the first one had checked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundwatch.launch.results.shares import Sample, describe_share
from groundwatch.schemas.checked_answer import Screen
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.verdict import ESCALATION_TAGS, Tag, Verdict, is_of_second
from groundwatch.transforms.rules.escalation import is_drawn
from .timeline import OTHERS
from .untrusted_names import cut_name

_MAX_ENGINES = 1_000
_NO_ANSWER = Sample(0, 0, 0)
_LOW_GROUNDED = str(Verdict.LOW_GROUNDED)


class ScreenedGroup(NamedTuple):
    """Screened answers that the rule treats alike.

    Attributes:
      engine: None where the answers name none.
      is_flagged: whether the first checker found them LOW_GROUNDED.
      share: the random share of them that the second one checks, 0..1; None if it checks each.
    """

    engine: str | None
    is_flagged: bool
    share: float | None


class Engine(NamedTuple):
    """The screened answers of an engine, or of all, and what the second checker found in them.

    `flagged` are the answers that the first one found LOW_GROUNDED, `passed` the others, `low` all
    of them. The second one has decided an equal share of each stratum. As unsupported count flagged
    answers that are grounded, and passed ones, or in `low` any, that are low-grounded. `random` are
    the strata of which a random share was audited, and not all.
    """

    engine: str | None
    tags: Counter[str]
    flagged: Sequence[Sample]
    passed: Sequence[Sample]
    low: Sequence[Sample]
    random: Sequence[Sample]

    @property
    def answers(self) -> int:
        return sum(each.answers for each in self.low)

    @property
    def decided(self) -> int:
        return sum(each.labelled for each in self.low)

    @property
    def wrongly_flagged(self) -> str:
        """How many flagged answers are grounded, counted or estimated."""
        return describe_share(self.flagged, "checked")

    @property
    def wrongly_passed(self) -> str:
        """How many passed answers are low-grounded, counted or estimated."""
        return self._estimate(self.passed)

    @property
    def low_of_all(self) -> str:
        """How many answers are low-grounded, counted or estimated."""
        return self._estimate(self.low)

    def _estimate(self, strata: Sequence[Sample]) -> str:
        if not self.random:  # a budget may have left out uncertain answers
            return describe_share(strata, "checked")
        return describe_share(strata, "audited", "--escalate_share", self.random)


class Escalations:
    """Count what two checkers found, in memory that does not grow with the records.

    What the second one would find in an answer that it did not check is estimated from those that
    it checked: all uncertain answers, and a random share of the others. An answer that it was to
    check, and did not, counts as if chance had left it out.

    Attributes:
      characters: about how many the second checker would be sent for all answers, if no two were
        the same.
    """

    def __init__(self) -> None:
        self._parts: dict[ScreenedGroup, Sample] = {}
        self._tags: dict[str | None, Counter[str]] = {}
        self.characters = 0

    def add(self, answer: AnswerRow) -> None:
        """Count a record, if the first of two checkers checked it."""
        screen = answer.screen
        if screen is None:
            return
        tag = next((each for each in ESCALATION_TAGS if each in answer.tags), None)
        engine = cut_name(answer.engine)
        if engine not in self._tags and len(self._tags) >= _MAX_ENGINES:
            engine = OTHERS
        self._tags.setdefault(engine, Counter()).update([tag] if tag else [])
        part = _part_of(answer, screen, tag)._replace(engine=engine)
        is_decided = is_of_second(answer.tags)
        is_low = is_decided and answer.verdict == _LOW_GROUNDED
        one = Sample(1, int(is_decided), int(is_low))
        self._parts[part] = _sum([self._parts.get(part, _NO_ANSWER), one])
        self.characters += screen.characters

    @property
    def answers(self) -> int:
        return sum(each.answers for each in self._parts.values())

    def total(self) -> Engine:
        return self._engine(None, self._parts)

    def engines(self) -> list[Engine]:
        """Return the counts of each engine, those with the most answers first."""
        parts: dict[str | None, list[ScreenedGroup]] = {name: [] for name in self._tags}
        for part in self._parts:
            parts[part.engine].append(part)
        found = [self._engine(name, own) for name, own in parts.items()]
        return sorted(found, key=lambda each: (-each.answers, each.engine or ""))

    def _engine(self, name: str | None, parts: Iterable[ScreenedGroup]) -> Engine:
        own = list(parts)
        engines = {part.engine for part in own}
        tags = sum((self._tags[each] for each in engines), Counter[str]())
        flagged = self._strata(part for part in own if part.is_flagged)
        cleared = [each._replace(unsupported=each.labelled - each.unsupported) for each in flagged]
        passed = self._strata(part for part in own if not part.is_flagged)
        rest = self._strata(part for part in own if part.share is not None)
        random = [each for each in rest if each.labelled < each.answers]
        return Engine(name, tags, cleared, passed, self._strata(own), random)

    def _strata(self, parts: Iterable[ScreenedGroup]) -> list[Sample]:
        """Add up the parts of which the second checker has decided an equal share, drawn or all."""
        strata: dict[float | None, list[Sample]] = {}
        for part in parts:
            strata.setdefault(part.share, []).append(self._parts[part])
        return [_sum(each) for each in strata.values()]


def _part_of(answer: AnswerRow, screen: Screen, tag: Tag | None) -> ScreenedGroup:
    lowest = screen.min_claim_score
    is_flagged = screen.verdict == _LOW_GROUNDED
    is_low = is_flagged or (lowest is not None and lowest < screen.escalate_below)
    # One that was not escalated may have been drawn, or be uncertain by its text.
    is_random = tag is not Tag.ESCALATED and (
        tag is not Tag.NOT_ESCALATED or is_drawn(answer.record_id, screen.audit_share)
    )
    is_rest = is_random and not is_low
    return ScreenedGroup(
        engine=answer.engine, is_flagged=is_flagged, share=screen.audit_share if is_rest else None
    )


def _sum(samples: Iterable[Sample]) -> Sample:
    return Sample(*map(sum, zip(*samples, strict=True)))
