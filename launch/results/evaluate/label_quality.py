"""Say by the labels so far how good the verdicts are."""

from collections import defaultdict
from collections.abc import Iterable

from groundwatch.launch.results.evaluate.labels import UNSUPPORTED, UNSURE
from groundwatch.launch.results.evaluate.shares import Interval, share_interval
from groundwatch.launch.results.evaluate.strata import (
    Sample,
    Stratum,
    VerdictQuality,
    estimate_quality,
    labels_needed,
)
from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict

HALF_WIDTH = 0.05
_NO_NAME = "unknown"


class LabelledGroup(Record, frozen=True, kw_only=True):
    """The labelled answers of an engine or reason, and what the verdicts are worth there."""

    name: str
    labelled: int
    precision: Interval | None
    recall: Interval | None


class LabelFindings(Record, frozen=True, kw_only=True):
    """What the labels say.

    Attributes:
      samples: what was drawn at random, by stratum.
      quality: the unbiased estimate from the samples.
      more: how many labels more an interval of ± HALF_WIDTH needs, of precision and recall.
      engines: all labelled answers, drawn or chosen, by engine.
      reasons: the same by the reason of their verdict.
    """

    samples: dict[Stratum, Sample]
    quality: VerdictQuality
    more: tuple[int | None, int | None]
    engines: list[LabelledGroup]
    reasons: list[LabelledGroup]


def find_quality(
    samples: dict[Stratum, Sample], labelled: Iterable[tuple[str, str, str, str]]
) -> LabelFindings:
    """Measure the verdicts by samples, and by engine, reason, verdict and label of answers."""
    quality = estimate_quality(samples)
    flagged = [each for name, each in samples.items() if name is Stratum.FLAGGED]
    pairs = ((quality.precision, flagged), (quality.recall, samples.values()))
    more = [each and labels_needed(each, drawn, HALF_WIDTH) for each, drawn in pairs]
    known = [each for each in labelled if each[-1] != UNSURE]
    return LabelFindings(
        samples=samples,
        quality=quality,
        more=(more[0], more[1]),
        engines=_groups((engine, verdict, label) for engine, _, verdict, label in known),
        reasons=_groups((reason, verdict, label) for _, reason, verdict, label in known),
    )


def _groups(labelled: Iterable[tuple[str, str, str]]) -> list[LabelledGroup]:
    """Group verdicts and labels by a name; the largest group comes first."""
    by_name: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for name, verdict, label in labelled:
        by_name[name or _NO_NAME].append((verdict == Verdict.LOW_GROUNDED, label == UNSUPPORTED))
    ranked = sorted(by_name.items(), key=lambda each: (-len(each[1]), each[0]))
    return [
        LabelledGroup(
            name=name,
            labelled=len(pairs),
            precision=_share(is_wrong for is_flagged, is_wrong in pairs if is_flagged),
            recall=_share(is_flagged for is_flagged, is_wrong in pairs if is_wrong),
        )
        for name, pairs in ranked
    ]


def _share(hits: Iterable[bool]) -> Interval | None:
    found = list(hits)
    return share_interval(sum(found), len(found))
