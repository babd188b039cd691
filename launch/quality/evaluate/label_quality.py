"""Say by the labels so far how good the verdicts are."""

from collections.abc import Iterable, Mapping

from groundwatch.launch.results.shares import Sample
from groundwatch.schemas import Record
from .strata import Stratum, VerdictQuality, estimate_quality, labels_needed

HALF_WIDTH = 0.05
_NO_NAME = "unknown"


class LabelledGroup(Record, frozen=True, kw_only=True):
    """What drawn answers of an engine or reason say; of how many there are, and are unsupported."""

    name: str
    labelled: int
    unsupported: int
    quality: VerdictQuality


class LabelFindings(Record, frozen=True, kw_only=True):
    """What the labels of answers say that were drawn at random; chosen ones would mislead.

    Attributes:
      samples: what was drawn at random, by stratum.
      quality: the unbiased estimate from the samples.
      missing: what keeps precision and recall from being estimated, and what to do; None if known.
      more: how many labels more an interval of ± HALF_WIDTH needs, of precision and recall.
      engines: the estimates by engine.
      reasons: those by the reason of the verdict.
    """

    samples: dict[Stratum, Sample]
    quality: VerdictQuality
    missing: tuple[str | None, str | None]
    more: tuple[int | None, int | None]
    engines: list[LabelledGroup]
    reasons: list[LabelledGroup]


def find_quality(
    samples: dict[Stratum, Sample],
    by_engine: Mapping[str, Mapping[Stratum, Sample]],
    by_reason: Mapping[str, Mapping[Stratum, Sample]],
) -> LabelFindings:
    """Measure the verdicts by samples of all answers, and of those of each engine and reason."""
    quality = estimate_quality(samples)
    flagged = [each for name, each in samples.items() if name is Stratum.FLAGGED]
    pairs = ((quality.precision, flagged), (quality.recall, samples.values()))
    more = [labels_needed(each, drawn, HALF_WIDTH) if each else None for each, drawn in pairs]
    return LabelFindings(
        samples=samples,
        quality=quality,
        missing=(
            None if quality.precision else _missing(flagged, "is flagged"),
            None if quality.recall else _missing(samples.values(), "has scores"),
        ),
        more=(more[0], more[1]),
        engines=_groups(by_engine),
        reasons=_groups(by_reason),
    )


def _missing(samples: Iterable[Sample], what: str) -> str:
    """Say why these samples, of each answer that is or has something, give no estimate."""
    known = [each for each in samples if each.answers]
    if not known:
        return f"unknown: no answer {what}"
    if all(each.labelled for each in known):
        return "unknown: no answer drawn so far is unsupported"
    return "unknown: draw answers at random, and label them, until each stratum has labels"


def _groups(by_name: Mapping[str, Mapping[Stratum, Sample]]) -> list[LabelledGroup]:
    """Estimate what the labels of each name say; the one with the most labels comes first."""
    groups = [
        LabelledGroup(
            name=name or _NO_NAME,
            labelled=sum(each.labelled for each in samples.values()),
            unsupported=sum(each.unsupported for each in samples.values()),
            quality=estimate_quality(samples),
        )
        for name, samples in by_name.items()
    ]
    return sorted(
        (each for each in groups if each.labelled), key=lambda each: (-each.labelled, each.name)
    )
