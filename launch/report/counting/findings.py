"""All that is known of an output folder once it was read."""

from launch.report.counting.seen import SeenSummary
from launch.report.counting.tally import Tally
from schemas import Record


class Findings(Record, frozen=True, kw_only=True):
    """What was read of an output folder.

    Attributes:
      tally: the counts.
      summary: the last run's, None where it wrote none yet.
      unreadable: what is wrong with the files that could not be read to their end.
    """

    tally: Tally
    summary: SeenSummary | None
    unreadable: tuple[str, ...]
