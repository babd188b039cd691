"""The answers to alert on."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.alert import Alert
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.select_alerts import SelectAlerts
from tests.support.builders import an_enriched
from tests.support.pipelines import local_pipeline


def name_and_text(alert: Alert) -> tuple[str | None, str | None]:
    return alert.record_id, alert.answer_text


def test_an_answer_that_the_rule_names_alerts_once_and_the_others_never() -> None:
    records = [
        an_enriched(record_id="grounded"),
        an_enriched(record_id="low", verdict=Verdict.LOW_GROUNDED),
        an_enriched(record_id="tagged", tags=("TRUNCATED",)),
    ]
    rule = AlertRule(
        verdicts=frozenset({Verdict.LOW_GROUNDED}), tags=frozenset({"TRUNCATED"}), with_text=True
    )
    with local_pipeline() as root:
        alerts = root | beam.Create(records) | SelectAlerts(rule)
        assert_that(
            alerts | beam.Map(name_and_text),
            equal_to([("low", "Lamps glow."), ("tagged", "Lamps glow.")]),
        )
