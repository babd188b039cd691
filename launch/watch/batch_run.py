"""One batch of messages through the pipeline."""

from collections.abc import Sequence

from launch.local.beam_errors import cause_of
from launch.local.local_pipeline import LocalPipeline
from pipeline.sources.read_batch import Batch, Source
from schemas.message import Message
from schemas.summary import RunCounts


def run_batch(
    pipeline: LocalPipeline, messages: Sequence[Message], folder: str
) -> tuple[Batch, RunCounts]:
    """Run messages through the pipeline.

    Args:
      pipeline: the main page.
      messages: at least one.
      folder: for the files of the batch.

    Returns:
      What was written or kept, and what was counted.

    Raises:
      RunStopped: no answer can be checked until a person has changed something.
      OSError: a file cannot be written.
      Exception: a defect.
    """
    try:
        return pipeline.run([Source(place="the subscription", messages=messages)], folder)
    except Exception as error:  # noqa: BLE001 - Beam wraps what a step raises
        raise cause_of(error) from None
