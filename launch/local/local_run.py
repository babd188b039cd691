"""Run an archive on this machine: plan it, resume an interrupted run, join the results."""

import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from operator import attrgetter

import msgspec
from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import asdict, replace

from launch import __version__
from launch.local.run_summary import publish_summary, summary_of
from launch.local.segments import run_segments
from launch.local.work_folder import Plan, WorkFolder
from launch.outputs.output_folder import UnreadableFile, find_files, read_lines
from launch.report.counts.tally import Findings
from launch.report.write_report import read_output
from launch.terminal.figures import counted
from pipeline import storage
from pipeline.settings.config import Config
from pipeline.settings.job import JobSettings, LocalRunSettings
from pipeline.sinks.counted_rows import CountedRows
from pipeline.sinks.part_files import Part, write_part
from pipeline.sinks.publication import publish_parts, read_manifest
from pipeline.sinks.row_formats import EnrichedFiles, row_formats
from pipeline.sinks.summary_file import refuse_other_source, remove_summary
from pipeline.sources.archives import examine_file
from pipeline.sources.splits import split_segments
from pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from schemas.enriched_answer import AnswerRow
from schemas.summary import Summary, total_counts
from transforms.rules.rate_counts import EngineCounts, RateCounts
from transforms.rules.rate_incidents import RateEvaluator
from transforms.runtime import clock

SEGMENT_MESSAGES = 10_000  # a run commits its progress every so many messages
_SEGMENTS_A_PROCESS = 4
_FEWEST_MESSAGES = 500
_by_folder = attrgetter("folder")

NOT_IN_FINGERPRINT = frozenset(
    {
        # They count by themselves.
        *("check", "inputs"),
        # They say where and when results are written, not which.
        *("output", "run", "source", "work_folder", "file_bytes"),
        # Incidents are computed from the rate counts when the run is published.
        "rates",
        # Only streams, or workers, use them.
        *("seen_for_s", "keeps_results", "publishes_enriched"),
        # They say how the checker is called, not what it replies.
        *("endpoint", "account", "max_in_flight", "requests_per_minute", "retries"),
        *("max_reply_bytes", "cache_bytes", "reply_store", "budget", "proxy", "outage"),
    }
)
"""Fields of `Config` and `CheckSettings` that may change while an interrupted run is resumed."""


def run_locally(
    config: Config, options: PipelineOptions, processes: int, job: JobSettings
) -> tuple[Summary, Findings | None]:
    """Run a job on this machine to its end, or to its limit, and write its summary.

    An interrupted run is resumed; after a change of flags or input, only its paid replies stay.
    Return the summary, and the counts of the report unless other runs wrote to the folder.
    """
    started_at_us = clock.now_us()
    work = WorkFolder(str(config.work_folder))
    with work.held(), lock_output(config.lock, LOCK_WAIT_S, owner=work.owner()) as lock:
        refuse_other_source(config.destination, config.source)
        plan = _plan(config, processes, job.local, work)
        run_segments(config, options, processes, plan)
        lock.check()
        summary, parts = _publish(
            config, plan, work, started_at_us, price_per_1k_chars=job.costs.price_per_1k_chars
        )
        findings = _findings(config, parts)
        if not summary.deferred:
            work.remove()
    return summary, findings


def make_plan(config: Config, processes: int, segment_messages: int = SEGMENT_MESSAGES) -> Plan:
    """Verify the input, count its messages, and split it into segments, some for each process."""
    files = [(path, examine_file(path, are_failures=config.replays)) for path in config.inputs]
    size = segment_messages
    if processes > 1:
        messages = sum(contents.messages for _, contents in files)
        fair_share = -(-messages // (_SEGMENTS_A_PROCESS * processes))
        size = min(size, max(fair_share, _FEWEST_MESSAGES))
    return Plan(fingerprint=fingerprint(config), segments=tuple(split_segments(files, size)))


def fingerprint(config: Config) -> str:
    """Identify a run's output by the input's state and all settings not in `NOT_IN_FINGERPRINT`."""
    states = [(path, *storage.version(path)) for path in config.inputs]
    settings = [
        {name: value for name, value in asdict(each).items() if name not in NOT_IN_FINGERPRINT}
        for each in (config, config.check)
    ]
    content = [__version__, settings, states]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def _plan(config: Config, processes: int, flags: LocalRunSettings, work: WorkFolder) -> Plan:
    """Read the plan of an interrupted run, or begin a new one."""
    earlier = work.read_plan()
    is_same = earlier is not None and earlier.fingerprint == fingerprint(config)
    remove_summary(config.destination)
    if earlier is not None and is_same and not flags.forget_replies:
        return earlier
    plan = make_plan(config, processes)
    if paid := work.paid():
        with paid as store:
            if flags.forget_replies:
                store.delete_replies()
            elif replies := store.begin_plan():
                sys.stderr.write(
                    f"groundwatch: a new run begins; {counted(replies, 'check')} that an"
                    " interrupted run has paid for will not be paid for again unless with"
                    " --forget_replies\n"
                )
    work.begin(plan)
    return plan


def _publish(
    config: Config,
    plan: Plan,
    work: WorkFolder,
    started_at_us: int,
    *,
    price_per_1k_chars: float | None,
) -> tuple[Summary, list[Part]]:
    finished = [(segment, done) for segment in plan.segments if (done := work.done(segment.number))]
    counts = total_counts(done.counts for _, done in finished)
    if paid := work.paid():
        # Those of unfinished segments and killed processes count, too.
        with paid as store:
            calls, characters = store.spent()
        counts = replace(counts, calls=calls, characters=characters)
    parts = [part for _, done in finished for part in done.parts]
    rates = (engine_counts for _, done in finished for engine_counts in done.rates)
    # A message may hold several answers, so the rest does not follow from the answers read.
    unread = plan.messages - sum(segment.messages for segment, _ in finished)
    summary = summary_of(
        config,
        counts,
        publish_parts(config, [*parts, *_rate_alert_parts(config, rates)]),
        started_at_us=started_at_us,
        price_per_1k_chars=price_per_1k_chars,
        deferred=unread + counts.deferred,
    )
    return publish_summary(config, summary), parts


def _findings(config: Config, parts: Iterable[Part]) -> Findings | None:
    """Count the run for the report, from what was counted of each record when it was written.

    Return None if the output folder also holds records of other runs, or what was counted is lost.
    """
    files = find_files(config.output)
    own = read_manifest(config.destination, EnrichedFiles.kind)
    if {config.destination.path(entry.path) for entry in own} != set(files.enriched):
        return None
    counted = sorted((part for part in parts if part.kind == CountedRows.kind), key=_by_folder)
    rows = (read_lines(part.path, AnswerRow) for part in counted)
    with suppress(UnreadableFile):
        findings = read_output(files, {}, {}, chain.from_iterable(rows))
        if findings.tally.answers == sum(entry.rows for entry in own):
            return findings
    return None


def _rate_alert_parts(config: Config, rates: Iterable[EngineCounts]) -> list[Part]:
    """Write the alerts that depend on the counts of all segments."""
    by_engine: dict[str | None, list[RateCounts]] = defaultdict(list)
    for engine, counts in rates:
        by_engine[engine].append(counts)
    found = (RateEvaluator(each, config.rates).evaluate(by_engine[each]) for each in by_engine)
    alerts = list(chain.from_iterable(found))
    if not alerts:
        return []
    row_format = row_formats(config).alerts
    path = storage.join(str(config.work_folder), f"rates.{row_format.extension}")
    return [write_part(path, row_format.kind, row_format, alerts)]
