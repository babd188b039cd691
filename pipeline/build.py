"""The main page: the path of an answer, in the words of the README's diagram."""

import apache_beam as beam

from pipeline.settings.config import Config
from pipeline.sinks.batch_results import KeepInBatch
from pipeline.sinks.sink import PublishAlerts, WriteEnriched, WriteFailures
from pipeline.sources.read_archives import ReadMessages
from transforms.check_grounding import CheckGrounding
from transforms.deduplicate import Deduplicate
from transforms.measure_rates import MeasureRates
from transforms.parse_answers import ParseAnswers
from transforms.rate_alerts import RateAlerts
from transforms.route_answers import RouteAnswers
from transforms.runtime.record_coder import use_record_coders
from transforms.sample_answers import SampleAnswers
from transforms.select_alerts import SelectAlerts
from transforms.tag_answers import TagAnswers


def build_pipeline(root: beam.Pipeline, config: Config) -> None:
    """Read answers, check them, write what was learnt. Runs nothing.

    Every message read ends in one enriched record, or in one failure, or is counted as a
    duplicate or as sampled out.

    Args:
      root: an empty pipeline.
      config: validated settings.
    """
    use_record_coders()
    destination = config.destination
    batch = destination.batch

    read = root | "ReadMessages" >> ReadMessages(
        config.inputs,
        batch,
        config.subscription,
        are_failures=config.replays,
        salvage=config.salvage,
    )
    parsed = read.messages | "ParseAnswers" >> ParseAnswers(
        config.input_format, facts_from_steps=config.facts_from_steps
    )
    distinct = parsed.answers | "Deduplicate" >> Deduplicate(config.seen_ids, config.seen_for_s)
    answers = distinct | "SampleAnswers" >> SampleAnswers(config.sampling)
    routed = answers | "RouteAnswers" >> RouteAnswers(config.moved_reasons)
    checked = routed | "CheckGrounding" >> CheckGrounding(config.check)
    enriched = checked.checked | "TagAnswers" >> TagAnswers(config.thresholds)
    _ = enriched | "WriteEnriched" >> WriteEnriched(destination, config.text)

    alerts = [enriched | "SelectAlerts" >> SelectAlerts(config.alerts)]
    rates = enriched | "MeasureRates" >> MeasureRates()
    if batch:
        _ = (rates,) | "KeepRates" >> KeepInBatch(batch, "rates")
        _ = (checked.left,) | "KeepLeft" >> KeepInBatch(batch, "left")
    else:
        alerts.append(rates | "RateAlerts" >> RateAlerts(config.rates))
    _ = tuple(alerts) | "PublishAlerts" >> PublishAlerts(destination)

    failures = (read.failures, parsed.failures, checked.failures)
    _ = failures | "WriteFailures" >> WriteFailures(
        destination, with_payload=config.failure_payload
    )
