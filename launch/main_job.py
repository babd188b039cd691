"""The main job as a person runs it: progress while it works, then what came of it."""

import logging
import sys
import traceback

from apache_beam.options.pipeline_options import PipelineOptions

from launch.progress import Progress
from launch.running import run_pipeline
from launch.screen import show_summary
from pipeline.config import Config
from schemas.summary import Summary
from transforms.grounding.errors import CheckFailed

_DONE, _FAILED, _REPLAY = 0, 1, 3


def run_main_job(config: Config, options: PipelineOptions, price_per_1k_chars: float | None) -> int:
    """Run the pipeline, showing its progress, and tell what came of it.

    Args:
      config: the run's settings.
      options: Beam's own.
      price_per_1k_chars: what 1,000 checked characters cost, None if unknown.

    Returns:
      The exit status: 0 done, 1 failed or not all accounted for, 3 done with failures left that
      a replay may mend.
    """
    logging.basicConfig(level=logging.WARNING, format="groundwatch: %(message)s")
    try:
        with Progress(config.inputs):
            summary = run_pipeline(config, options, price_per_1k_chars)
    except KeyboardInterrupt:
        return _fail("interrupted; the same command again starts anew")
    except CheckFailed as error:
        return _fail(_without_beam(error))
    except OSError as error:
        return _fail(_without_beam(error))
    except Exception as error:  # noqa: BLE001 - a defect; its message could hold an answer's text
        sys.stderr.writelines(traceback.format_tb(error.__traceback__))
        return _fail(f"a defect: {type(error).__name__}; please report the lines above")
    show_summary(config, summary)
    return _exit_status(summary)


def _exit_status(summary: Summary) -> int:
    if not summary.closes:
        return _fail(f"the counts do not close: {summary.read} messages were read")
    if summary.damaged_archives:
        return _fail(f"{summary.damaged_archives} archives are damaged; see the failures")
    return _REPLAY if summary.retryable_failures else _DONE


def _without_beam(error: Exception) -> str:
    """Leave out what Beam adds: "[while running 'Step']"."""
    return str(error).partition(" [while running")[0]


def _fail(reason: str) -> int:
    sys.stderr.write(f"groundwatch: the run failed: {reason}\n")
    return _FAILED
