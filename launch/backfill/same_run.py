"""Find out whether a command resumes, repeats or replaces a run."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from operator import attrgetter
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.schemas.planned_run import PlannedRun
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import AnswerCounts, Summary, replayed_files
from groundwatch.transforms.rules.redaction import TextMode

_RESUMES_SINCE = "2.0.0"
"""The first release whose interrupted runs this one resumes: part of each fingerprint."""

NOT_IN_FINGERPRINT = frozenset(
    {
        # They count by themselves.
        *("check", "inputs"),
        # They say where and when results are written, not which.
        *("output", "run", "source", "work_folder", "file_bytes"),
        # They are the texts of the others.
        "settings",
        # They say where the steps run, and what the checks cost.
        *("beam_arguments", "price_per_1k_chars"),
        # They apply to what leaves, whatever was in force when it was made: see `in_files`.
        *("text", "failure_payload"),
        # Incidents are computed from the rate counts when the run is published, likewise.
        "rates",
        # Only streams, or workers, use them.
        *("seen_for_s", "keeps_results", "publishes_enriched"),
        # They say how the checker is called, not what it replies.
        *("endpoint", "given", "account", "max_in_flight", "requests_per_minute", "retries"),
        *("max_reply_bytes", "cache_bytes", "reply_store", "budget", "proxy", "outage"),
        *("has_answered", "processes"),
        # A first checker counts by itself, where there is one.
        "screen",
    }
)
"""Fields of `Config` and `CheckSettings` that may change while an interrupted run is resumed."""

TEXTS = ("text", "failure_payload")
"""The settings of `in_files` that apply to each file, and not to the end of a run."""

_PARSED_BY_2_0_0 = {"facts_from_steps": False}
"""What 2.0.0 put into the fingerprint of each of its runs, which may be resumed."""

_CONNECTIONS = 16
_MOST_NAMES = 3
_Found = TypeVar("_Found")


class EndedRun(NamedTuple):
    """The summary of a run, and whether a command before this one has finished it."""

    summary: Summary
    is_earlier: bool = False


class WouldReplace(RunFailed):
    """A new run would replace results that it was not asked to, or cannot make again."""


def fingerprint(config: Config) -> str:
    """Identify a run's output by all settings not in `NOT_IN_FINGERPRINT`."""
    screen = config.check.screen
    parts = (config, config.check, *((screen.first, screen.rule) if screen else ()))
    settings: list[dict[str, object]] = [
        {name: value for name, value in asdict(each).items() if name not in NOT_IN_FINGERPRINT}
        for each in parts
    ]
    for each in settings:
        if each.get("scorer") is None:
            each.pop("scorer_weight", None)  # Nothing is weighed, and 2.0.0 had none.
    settings[0]["parsing"] = asdict(config.parsing) | _PARSED_BY_2_0_0
    content = [_RESUMES_SINCE, settings]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def planned_now(
    config: Config, versions: Sequence[tuple[int, int]] | None = None, messages: int = 0
) -> PlannedRun:
    """Describe a run as it is now; without the versions of its inputs look them up."""
    if versions is None:
        versions = _for_each(storage.version, config.inputs)
    return PlannedRun(
        fingerprint=fingerprint(config),
        inputs=config.inputs,
        versions=tuple(versions),
        messages=messages,
        replays=config.replays,
        budget=config.check.budget,
        in_files=in_files(config),
    )


def in_files(config: Config) -> dict[str, str]:
    """Return the settings that decide which texts, payloads and rates files have, by flag."""
    return {
        "text": config.text.value,
        "failure_payload": "full" if config.failure_payload else "none",
        "rate_budget": f"{config.rates.budget:g}",
        "rate_burn": f"{config.rates.burn_rate:g}",
    }


def change_in_files(config: Config, earlier: PlannedRun, *flags: str) -> str | None:
    """Say which of these settings, by default all, the files of a run do not follow."""
    now = in_files(config)
    for flag in flags or now:
        if earlier.in_files is None and flag in TEXTS and now[flag] != TextMode.FULL:
            return f"it is of an earlier release, which did not note --{flag}"
        before = (earlier.in_files or now)[flag]
        if now[flag] != before:
            return f"--{flag} is {now[flag]}, and was {before}"
    return None


def _for_each(look: Callable[[str], _Found], paths: Sequence[str]) -> tuple[_Found, ...]:
    # Each is a request of its own in a bucket.
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        return tuple(pool.map(look, paths))


def _version(path: str) -> tuple[int, int] | None:
    """Look up the version of a file, None if it is gone."""
    try:
        return storage.version(path)
    except FileNotFoundError:
        return None


def change_since(config: Config, earlier: PlannedRun, moved: Iterable[str] = ()) -> str | None:
    """Say what has changed since a run was planned, None if nothing has.

    The files that replays have `moved` are as they were.
    """
    if earlier.fingerprint != fingerprint(config):
        return "the settings have changed"
    if names := "; ".join(_other_files(earlier.inputs, config.inputs)):
        return f"the input has other files ({names})"
    known = dict(zip(earlier.inputs, earlier.versions, strict=True))
    gone = storage.identify(moved)
    left = [path for each, path in storage.identify(known).items() if each not in gone]
    found = zip(left, _for_each(_version, left), strict=True)
    path = next((path for path, now in found if now != known[path]), None)
    return path and f"{path} has changed"


def _other_files(before: Iterable[str], now: Iterable[str]) -> Iterator[str]:
    """Name the files that are on one side only, whatever paths lead to them."""
    found, known = storage.identify(now), storage.identify(before)
    new = [path for each, path in found.items() if each not in known]
    gone = [path for each, path in known.items() if each not in found]
    for what, names in (("new", new), ("gone", gone)):
        if names:
            more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
            yield f"{what}: {', '.join(islice(sorted(names), _MOST_NAMES))}{more}"


def change_since_end(config: Config, finished: Summary) -> str | None:
    """Say how a command differs from the run that has finished, None if it is the same."""
    if finished.planned is None:
        return "it is of an earlier release, which did not note its settings and input"
    replays = (run.replayed for run in read_summaries(config.output))
    moved = (storage.join(config.output, file.path) for file in replayed_files(replays))
    change = change_since(config, finished.planned, moved)
    return change or change_in_files(config, finished.planned)


def allows_more(config: Config, earlier: PlannedRun | None, counts: AnswerCounts) -> bool:
    """Return whether a command pays for checks that the budget of an earlier run did not allow."""
    if earlier is None or not counts.over_budget:
        return False
    return config.check.budget.exceeds(earlier.budget)


def runs_like(run: Config | Summary, root: str) -> Iterator[Summary]:
    """Find the runs of an id and source in an output folder, finished or not."""
    for summary in read_summaries(root):
        if (summary.run, summary.source) == (run.run, run.source):
            yield summary


def run_of_files(config: Config, *, is_named: bool) -> Summary | None:
    """Find the run in the output folder that read files of this one, whatever paths led to them.

    It is the one with most of the files. With a name, it is the run of this name; a replay that has
    finished is found as a whole, by `repeated_replay`.
    """
    files, found, most = storage.identify(config.inputs).keys(), None, 1
    runs = read_summaries(config.output)
    for run in sorted(runs, key=lambda run: (run.run == config.run, run.finished_at_us)):
        if run.planned is None or run.source is None or run.planned.replays != config.replays:
            continue
        if (run.run != config.run) if is_named else (config.replays and run.is_complete):
            continue
        shared = len(files & storage.identify(_known_paths(run.planned)).keys())
        if shared >= most:
            found, most = run, shared
    return found


def _known_paths(planned: PlannedRun) -> Iterator[str]:
    """Leave out relative paths that lead elsewhere from here, which 2.1.0 noted as they came."""
    for path, version in zip(planned.inputs, planned.versions, strict=True):
        if storage.resolve(path) == path or _version(path) == version:
            yield path


def finished_run(config: Config) -> Summary | None:
    """Find the finished run of the same id and source, None if there is none."""
    found = (summary for summary in runs_like(config, config.output) if summary.is_complete)
    return max(found, key=attrgetter("finished_at_us"), default=None)


def repeated_run(config: Config) -> Summary | None:
    """Return the finished run that a command repeats, None if it is a run of its own.

    A changed command is also one of its own where the finished run has no record, as with a wrong
    map: its failures are of messages that are still in the input.

    Raises:
      WouldReplace: the run would replace a finished one; a replay adds to earlier ones.
    """
    finished = finished_run(config)
    change = change_since_end(config, finished) if finished else None
    if finished is None or change is None:
        return finished
    found = (each.planned for each in read_summaries(config.output))
    if config.replays or not (finished.enriched or any(run and run.replays for run in found)):
        return None
    raise WouldReplace(
        f"{config.output} holds {what_it_holds(finished)} of a run of this input that finished at"
        f" {to_rfc3339(finished.finished_at_us)}, and {change}: nothing was checked or written;"
        " give --again to replace them by a new run, or another --run_id or --output to keep both"
    )


def repeated_replay(
    config: Config, is_active: Callable[[str], bool], *, is_named: bool
) -> Summary | None:
    """Find the finished replay that a command repeats; one without files repeats the last one.

    Without files it is first of all one that was stopped, and whose state is here: another replay
    has moved its files. `is_named` is whether the user has given the run's id.
    """
    summaries = read_summaries(config.output)
    # Those that were stopped come first, then the last ones.
    for finished in sorted(summaries, key=lambda run: (run.is_complete, -run.finished_at_us)):
        if finished.planned is None or not finished.planned.replays:
            continue
        if not finished.is_complete and (config.inputs or not is_active(finished.run)):
            continue
        is_other = finished.source != config.source and not config.inputs
        if is_other or (is_named and finished.run != config.run):
            continue
        read = config if config.inputs else replace(config, inputs=planned_inputs(finished))
        if not change_since_end(read, finished):
            return finished
    return None


def planned_inputs(summary: Summary) -> tuple[str, ...]:
    """Return the files that a run has read."""
    return summary.planned.inputs if summary.planned else ()


def what_it_holds(finished: Summary) -> str:
    """Count the rows of a run."""
    records, failures = counted(finished.enriched, "record"), counted(finished.failures, "failure")
    return f"{records} and {failures}" if finished.failures else records
