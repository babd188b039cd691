"""Describe a job that ends: a backfill, a replay, or the demo."""

from apache_beam.options.pipeline_options import PipelineOptions

from pipeline.settings.config import Config
from schemas import Record


class BoundedJob(Record, frozen=True, kw_only=True):
    """A job that is ready to start.

    Attributes:
      config: the run's settings; a work folder means a run on this machine.
      options: Beam's own.
      processes: how many share the work on this machine; 1 is this one alone.
      price_per_1k_chars: the price of 1,000 checked characters, None if unknown.
      must_resume: whether to fail unless an interrupted run can be resumed.
      forget_replies: whether to start a new run and pay for every check again; calls of an
        interrupted run still count.
    """

    config: Config
    options: PipelineOptions
    processes: int = 1
    price_per_1k_chars: float | None = None
    must_resume: bool = False
    forget_replies: bool = False
