"""Find the settings of the run whose failures a replay reads."""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence

from groundwatch.launch.cli.commands.replay import ReplaySettings
from groundwatch.launch.cli.paths import default_run_id, find_inputs
from groundwatch.pipeline.settings.load import flag_names
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.schemas.summary import Summary

_FILE_NUMBER = re.compile(r"-(batch-0-)?\d+\.jsonl$")  # what follows a run's name in that of a file


def find_inherited(
    given: Mapping[str, tuple[str, ...]],
    arguments: Collection[str],
    problems: list[str],
    notes: list[str],
) -> dict[str, tuple[str, ...]]:
    """Return what the run of the failures has noted of its settings, by key (see `load`).

    Runs that differ in a setting are a problem, unless the arguments have it.
    """
    patterns, [output] = given.get("failures", ()), given.get("output", ("",))[-1:]
    try:
        paths = find_inputs("--failures", patterns, [])
        runs = list(_runs_of(paths)) if paths else _finished_replay(patterns, output)
    except OSError:
        return {}  # The command meets it again, and says so.
    noted = [run.settings for run in runs if run and run.settings is not None]
    if len(noted) < len(runs):
        notes.append(
            "the settings of a run of these failures are unknown, since it is of an earlier"
            " release or its folder runs/ is not beside them: those of this command count"
        )
    accepted = set(flag_names(ReplaySettings)).difference(arguments)
    found: dict[str, tuple[str, ...]] = {}
    for key in sorted(accepted & set().union(*noted)):
        first, *others = {settings.get(key, ()) for settings in noted}
        if others:
            problems.append(
                f"--failures: their runs have different settings of --{key}: give --{key}, or the"
                " failures of one run at a time"
            )
        else:
            found[key] = first
    if found:
        flags = (shlex.join([f"--{key}", *texts]) for key, texts in found.items())
        notes.append(f"settings of the failures' run: {' '.join(flags)}")
    return found


def _runs_of(paths: Sequence[str]) -> Iterator[Summary | None]:
    """Find the run that has written each of the files, None if it is unknown; each run once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder.rpartition("/")[0] or ".", []).append(name)
    for root, names in folders.items():
        runs = {run.name: run for run in read_summaries(root)}
        yield from map(runs.get, {_FILE_NUMBER.sub("", name) for name in names})


def _finished_replay(patterns: Sequence[str], output: str) -> list[Summary]:
    """Find the last replay of the failures, which has moved them."""
    source = default_run_id(patterns)
    runs = (run for run in read_summaries(output) if run.source == source and run.settings)
    return sorted(runs, key=lambda run: run.finished_at_us)[-1:]
