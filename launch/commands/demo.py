"""`groundwatch demo`: the main job on the bundled sample answers."""

from collections.abc import Sequence

from apache_beam.options.pipeline_options import PipelineOptions

from launch.command_help import wants_help, write_help
from launch.flags import UsageError, read_all_flags
from launch.inputs.paths import default_work_folder, try_output
from launch.main_job import run_main_job
from launch.samples import sample_paths
from pipeline.config import Config
from pipeline.option import Option, location
from pipeline.sinks.destination import Destination

OPTIONS = (Option(name="output", meaning="output folder", read=location, default="out/demo"),)


def run(arguments: Sequence[str]) -> int:
    """Check the sample with the embedded checker: seconds, no cloud, no network.

    Returns:
      0 done, 1 failed.

    Raises:
      UsageError: the flags make no sense, or the output folder cannot be written to.
    """
    if wants_help(arguments):
        return write_help("demo", OPTIONS)
    values, problems = read_all_flags(arguments, OPTIONS)
    destination = Destination(root=values["output"], run="demo")
    try_output(destination, problems)
    if problems:
        raise UsageError(problems)
    config = Config(
        inputs=tuple(sample_paths()),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
    )
    return run_main_job(config, PipelineOptions([]))
