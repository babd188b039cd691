"""RateAlerts: tell when an engine's bad answers become too many, and when that is over."""

from collections.abc import Iterable

import apache_beam as beam
from apache_beam.pvalue import PCollection

from schemas.alert import Alert
from transforms.judge_rates import JudgeRates
from transforms.measure_rates import Keyed
from transforms.rules.burn_rate import RateRule
from transforms.rules.rate_counts import RateCounts
from transforms.rules.rate_incidents import find_rate_alerts


class RateAlerts(beam.PTransform):
    """Find the episodes in which an engine burns its error budget too fast.

    Input: PCollection[(engine, RateCounts)]. Where it is bounded, an engine's buckets are looked at
      together; else at the end of each, as far as the watermark has come.
    Output: PCollection[Alert], one when an episode opens and one when it closes.
    Failures: none.
    Delivery: each alert once; the same counts make the same alerts in every run.

    Args:
      rule: when an episode opens and closes.
    """

    def __init__(self, rule: RateRule) -> None:
        super().__init__()
        self.rule = rule

    def expand(self, counts: PCollection[Keyed]) -> PCollection[Alert]:
        """Apply the step."""
        if not counts.is_bounded:
            return counts | "JudgeRates" >> beam.ParDo(JudgeRates(self.rule))
        # (engine, Iterable[RateCounts])
        by_engine = counts | "ByEngine" >> beam.GroupByKey()
        return by_engine | "FindEpisodes" >> beam.FlatMap(_find_episodes, rule=self.rule)


def _find_episodes(
    by_engine: tuple[str | None, Iterable[RateCounts]], rule: RateRule
) -> list[Alert]:
    engine, buckets = by_engine
    return find_rate_alerts(engine, buckets, rule)
