"""SelectAlerts: pick out the answers that somebody is told about."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection

from schemas.alert import Alert
from schemas.enriched_answer import EnrichedAnswer
from transforms.rules.alerting import AlertRule, select_alert


class SelectAlerts(beam.PTransform):
    """Make an alert of each answer that is worth one.

    Input: PCollection[EnrichedAnswer], bounded or not.
    Output: PCollection[Alert], at most one for each answer, in its window and at its timestamp.
    Failures: none.
    Delivery: each alert once; a retried bundle makes the same again.

    Args:
      rule: what is worth an alert.
    """

    def __init__(self, rule: AlertRule) -> None:
        super().__init__()
        self.rule = rule

    def expand(self, enriched: PCollection[EnrichedAnswer]) -> PCollection[Alert]:
        """Apply the step."""
        return enriched | "SelectAlert" >> beam.FlatMap(_select_alert, rule=self.rule)


def _select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Iterator[Alert]:
    alert = select_alert(enriched, rule)
    if alert is not None:
        yield alert
