"""Check the bundled sample answers with the embedded checker: seconds, no network."""

from apache_beam.options.pipeline_options import PipelineOptions

from launch.inputs.paths import default_work_folder, try_output
from launch.job.main_job import run_main_job
from launch.samples import sample_paths
from pipeline.settings.commands import DemoSettings
from pipeline.settings.config import Config
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination


def demo(loaded: Loaded[DemoSettings]) -> int:
    """Run the pipeline on the sample answers.

    Returns:
      0 done, 1 failed.

    Raises:
      UsageError: the settings have problems, or the output cannot be written.
    """
    destination = Destination(root=loaded.settings.demo_output, run="demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    config = Config(
        inputs=tuple(sample_paths()),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
    )
    return run_main_job(config, PipelineOptions([]))
