"""Run segments in this process."""

from contextlib import ExitStack
from typing import Self

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.local_pipeline import LocalPipeline
from launch.local.work_folder import SegmentDone, WorkFolder
from pipeline.settings.config import Config
from pipeline.sinks.sink import SegmentSink
from pipeline.sources.splits import Segment, SegmentReader
from transforms.check_grounding import checks_open
from transforms.deduplicate import seen_ids_open


class SegmentRunner:
    """Run segments while a `with` block keeps their shared resources open.

    Args:
      config: the run's settings, with a work folder.
      options: Beam's own.

    Raises:
      OSError: the work folder cannot be used.
    """

    def __init__(self, config: Config, options: PipelineOptions) -> None:
        self._config = config
        self._work = WorkFolder(str(config.work_folder))
        self._pipeline = LocalPipeline(config, options, SegmentSink)
        self._reader = SegmentReader(are_failures=config.replays)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._checks = opened.enter_context(checks_open(self._config.check))
            self._seen = opened.enter_context(seen_ids_open(str(self._config.seen_ids)))
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, segment: Segment) -> SegmentDone:
        """Run a segment and commit its results.

        Raises:
          Exception: a step failed; the segment must run again.
        """
        folder, again = self._work.begin_segment(segment.number)
        self._seen.begin(segment.number, again=again)
        self._checks.client.begin(segment.number, again=again)
        try:
            results, counts = self._pipeline.run(self._reader.messages_of(segment), folder)
            self._checks.client.flush()
            done = SegmentDone(parts=results.parts, rates=results.rates, counts=counts)
            self._work.finish_segment(segment.number, done)
        except BaseException:
            # A full disk needs the room.
            self._work.clear_segment(segment.number)
            raise
        return done
