"""Plan a run: its segments, and the fingerprint by which it is recognized."""

import hashlib

import msgspec

from launch import __version__
from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sources.archives import examine_file
from pipeline.sources.splits import Segment, split_segments
from schemas import Record
from transforms.grounding.settings import CheckSettings

_SEGMENTS_A_PROCESS = 4
_FEWEST_MESSAGES = 500

NOT_IN_FINGERPRINT = frozenset(
    {
        # They count by themselves.
        *("check", "inputs"),
        # They say where and when results are written, not which.
        *("output", "run", "source", "work_folder", "segment_messages", "file_bytes"),
        # Incidents are computed from the rate counts when the run is published.
        "rates",
        # Only streams use it.
        "seen_for_s",
        # They say how the checker is called, not what it replies.
        *("endpoint", "account", "user_labels", "max_in_flight", "requests_per_minute", "retries"),
        *("max_reply_bytes", "cache_bytes", "reply_store", "budget", "proxy", "outage"),
    }
)
"""Fields of `Config` and `CheckSettings` that may change while an interrupted run is resumed."""


class Plan(Record, frozen=True, kw_only=True):
    """The plan of a run.

    Attributes:
      fingerprint: of the input and of the settings that show in the output.
      segments: all of them, in the order of the input.
    """

    fingerprint: str
    segments: tuple[Segment, ...]

    @property
    def messages(self) -> int:
        """Return the number of messages in the input."""
        return sum(segment.messages for segment in self.segments)


def make_plan(config: Config, processes: int) -> Plan:
    """Verify the input, count its messages, and split it into segments.

    Args:
      config: the run's settings.
      processes: how many share the work; each gets some segments.

    Raises:
      OSError: a file cannot be read.
    """
    files = [
        (path, examine_file(path, are_failures=config.replays, salvage=config.salvage))
        for path in config.inputs
    ]
    size = config.segment_messages
    if processes > 1:
        messages = sum(contents.messages for _, contents in files)
        fair_share = -(-messages // (_SEGMENTS_A_PROCESS * processes))
        size = min(size, max(fair_share, _FEWEST_MESSAGES))
    return Plan(fingerprint=fingerprint(config), segments=tuple(split_segments(files, size)))


def fingerprint(config: Config) -> str:
    """Identify the output of a run by its settings and the state of its input.

    Every setting counts, except those named in `NOT_IN_FINGERPRINT`.

    Raises:
      OSError: a file is not there.
    """
    states = [(path, *storage.version(path)) for path in config.inputs]
    settings = [_counted(config), _counted(config.check)]
    content = [__version__, settings, states]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def _counted(settings: Config | CheckSettings) -> dict[str, object]:
    fields = msgspec.structs.asdict(settings)
    return {name: value for name, value in fields.items() if name not in NOT_IN_FINGERPRINT}
