"""The plan of a run: which segments it has, and how to know it again."""

import hashlib
from collections.abc import Iterable

import msgspec

from launch import __version__
from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sources.archive_files import examine_file
from pipeline.sources.splits import Segment, cut_segments
from schemas import Record

_SEGMENTS_A_PROCESS = 4
_FEWEST_MESSAGES = 500


class Plan(Record, frozen=True, kw_only=True):
    """What a run is to do.

    Attributes:
      fingerprint: of the input and of the settings that show in the output.
      segments: all of them, in the order of the input.
    """

    fingerprint: str
    segments: tuple[Segment, ...]

    @property
    def messages(self) -> int:
        """How many the input has."""
        return sum(segment.messages for segment in self.segments)


def make_plan(config: Config, processes: int) -> Plan:
    """Verify the input, count its messages, and cut it into segments.

    Args:
      config: the run's settings.
      processes: how many share the work; several want some segments each.

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
    return Plan(fingerprint=fingerprint(config), segments=tuple(cut_segments(files, size)))


def fingerprint(config: Config) -> str:
    """Tell apart runs whose output would differ, by their settings and the state of their input.

    Raises:
      OSError: a file is not there.
    """
    check = config.check
    settings = [
        __version__,
        config.replays,
        config.salvage,
        config.input_format,
        config.facts_from_steps,
        config.sampling,
        config.moved_reasons,
        config.thresholds,
        sorted(config.alerts.verdicts),
        sorted(config.alerts.tags),
        config.alerts.with_text,
        config.text,
        config.failure_payload,
        check.checker,
        check.scorer,
        check.grounding_config,
        check.api_version,
        check.citation_threshold,
        check.limits,
        check.max_calls_per_answer,
    ]
    states = list(_states(config.inputs))
    return hashlib.sha256(msgspec.json.encode([settings, states])).hexdigest()


def _states(paths: Iterable[str]) -> Iterable[tuple[str, int, int]]:
    for path in paths:
        yield path, storage.size(path), storage.changed_at_ns(path)
