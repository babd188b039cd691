"""Build the pipeline: read, parse, deduplicate, check, tag and write answers."""

import apache_beam as beam
from msgspec.structs import asdict

from groundwatch.transforms.check_grounding import CheckGrounding
from groundwatch.transforms.deduplicate import Deduplicate
from groundwatch.transforms.measure_rates import MeasureRates
from groundwatch.transforms.parse_answers import ParseAnswers
from groundwatch.transforms.route_answers import RouteAnswers
from groundwatch.transforms.runtime.record_coder import use_record_coders
from groundwatch.transforms.sample_answers import SampleAnswers
from groundwatch.transforms.select_alerts import SelectAlerts
from groundwatch.transforms.tag_answers import TagAnswers
from .settings.config import Config
from .sinks.sink import Sink
from .sources.read_archives import ReadArchives
from .sources.read_batch import ReadBatch
from .sources.read_subscription import ReadSubscription

Source = ReadArchives | ReadBatch | ReadSubscription


def build_pipeline(root: beam.Pipeline, source: Source, sink: Sink, config: Config) -> None:
    """Apply the steps to an empty pipeline, without running it.

    Every message read becomes one enriched record or one failure, or it is counted as a duplicate
    or as sampled out.
    """
    use_record_coders()
    keep_first, fill_bundles = source.grouping(config)
    read = root | "ReadMessages" >> source
    parsed = read.messages | "ParseAnswers" >> ParseAnswers(
        **asdict(config.parsing), most_answers=source.most_answers
    )
    distinct = parsed.answers | "Deduplicate" >> Deduplicate(keep_first)
    answers = distinct | "SampleAnswers" >> SampleAnswers(config.sampling)
    routed = answers | "RouteAnswers" >> RouteAnswers(config.moved_reasons)
    checked = routed | "CheckGrounding" >> CheckGrounding(config.check, fill_bundles)
    enriched = checked.checked | "TagAnswers" >> TagAnswers(config.thresholds)
    _ = (enriched,) | "WriteEnriched" >> sink.enriched
    for label, step in sink.further.items():
        _ = (enriched,) | label >> step

    alerts = enriched | "SelectAlerts" >> SelectAlerts(config.alerts)
    rates = enriched | "MeasureRates" >> MeasureRates()
    rate_alerts = rates | "RateAlerts" >> sink.rate_alerts
    _ = (alerts, rate_alerts) | "PublishAlerts" >> sink.alerts

    failures = (read.failures, parsed.failures, checked.failures)
    _ = failures | "WriteFailures" >> sink.failures
    if sink.deferred:
        _ = (checked.deferred,) | "KeepDeferred" >> sink.deferred
