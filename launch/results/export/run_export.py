"""Start an export, or raise UsageError; what sends is imported when all settings are valid."""

import sys
from contextlib import closing

from groundwatch.launch.cli.commands.export import TABLES, ExportSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, fail
from groundwatch.launch.targets.target import (
    TargetMisconfigured,
    TargetUnavailable,
    open_target,
    try_target,
)
from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import UnreadableFile
from .write_table import write_table


def export(loaded: Loaded[ExportSettings]) -> int:
    """Export a folder; exit 1 if a record was not sent, or the target gave up."""
    settings = loaded.settings
    if settings.to not in TABLES and not loaded.problems:
        try_target(settings.to, settings.endpoint, loaded.problems)
    loaded.raise_problems()
    if settings.export_output and settings.to in TABLES:
        return write_table(settings.folder, settings.to, settings.export_output)
    from .export_folder import FolderExport  # noqa: PLC0415 - it imports Beam

    run = FolderExport(settings)
    try:
        with closing(open_target(settings.to, settings.endpoint)) as target:
            run.send_all(target)
    except (LockFailed, OSError, TargetMisconfigured, TargetUnavailable, UnreadableFile) as error:
        return fail(f"{error}. {run.describe()}; the same command resumes")
    except KeyboardInterrupt:
        return fail(f"interrupted. {run.describe()}; the same command resumes")
    if run.damaged:
        advice = "restore what is damaged, and the same command sends the rest"
        return fail(f"{'; '.join(run.damaged)}. {run.describe()}; {advice}")
    sys.stdout.write(f"{run.describe()}.\n")
    if run.delivered.skipped and not run.delivered.sent:
        return fail(
            f"no record has a trace, and {settings.to} has no place for it without one:"
            " docs/results.md says where a trace comes from",
            LEFT,
        )
    return FAILED if run.delivered.refused else DONE
