"""SelectAlerts: select the answers to alert on."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection

from groundwatch.schemas.alert import Alert
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from .rules.alerting import AlertRule, select_alert


class SelectAlerts(beam.PTransform):
    """Create alerts for answers that match the alert rule.

    Input: PCollection[EnrichedAnswer], bounded or not.
    Output: PCollection[Alert], at most one for each answer, in its window and at its timestamp.
    Failures: none.
    Delivery: each alert once; a retried bundle has the same results.

    Args:
      rule: which verdicts and tags to alert on.
    """

    def __init__(self, rule: AlertRule = AlertRule()) -> None:  # noqa: B008 - it is frozen
        super().__init__()
        self.rule = rule

    def expand(self, enriched: PCollection[EnrichedAnswer]) -> PCollection[Alert]:
        return enriched | "SelectAlert" >> beam.FlatMap(_select_alert, rule=self.rule)


def _select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Iterator[Alert]:
    if alert := select_alert(enriched, rule):
        yield alert
