"""Read gauges of this process: answers done, verdicts, calls in flight."""

from schemas import Record
from schemas.verdict import Verdict
from transforms.grounding.client import CallsInFlight
from transforms.runtime import counters


class Gauges(Record, frozen=True, kw_only=True):
    """The values of the gauges at a moment.

    Attributes:
      done: answers that are finished.
      further_answers: answers beyond the first of messages that hold several.
      retries: attempts beyond the first, of finished checks.
      verdicts: how many answers have each, in the order of `Verdict`.
    """

    done: int = 0
    further_answers: int = 0
    calls_in_flight: int = 0
    retries: int = 0
    verdicts: tuple[int, ...] = (0,) * len(Verdict)

    def __add__(self, other: "Gauges") -> "Gauges":
        """Add the values of another process."""
        return Gauges(
            done=self.done + other.done,
            further_answers=self.further_answers + other.further_answers,
            calls_in_flight=self.calls_in_flight + other.calls_in_flight,
            retries=self.retries + other.retries,
            verdicts=tuple(map(sum, zip(self.verdicts, other.verdicts, strict=True))),
        )


def read_gauges() -> Gauges:
    """Read the gauges of this process, since it began."""
    verdicts = tuple(counters.VERDICTS[verdict].value for verdict in Verdict)
    ends = (
        counters.ARCHIVES_DAMAGED,
        counters.PARSE_FAILED,
        counters.DUPLICATES_SEEN,
        counters.SAMPLED_OUT,
        counters.CHECKS_FAILED,
    )
    return Gauges(
        done=sum(verdicts) + sum(counter.value for counter in ends),
        further_answers=counters.FURTHER_ANSWERS.value,
        calls_in_flight=CallsInFlight.count,
        retries=counters.RETRIES.value,
        verdicts=verdicts,
    )
