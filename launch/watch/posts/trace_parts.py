"""Collect the parts of a trace, which an application sends one by one."""

from collections.abc import Iterable, Sequence

from .posted_message import PostedMessage

_QUIET_S = 10.0
"""A trace without its root ends so long after its last part: exporters send every five seconds."""

_LONGEST_S = 60.0


class _Trace:
    """The parts of a trace that have arrived, by their places, and all their numbers."""

    def __init__(self, now_s: float) -> None:
        self.parts: dict[str, PostedMessage] = {}
        self.numbers: list[int] = []
        self.first_s = self.last_s = now_s
        self.is_complete = False

    def is_due(self, now_s: float) -> bool:
        is_quiet = now_s - self.last_s >= _QUIET_S or now_s - self.first_s >= _LONGEST_S
        return self.is_complete or is_quiet


class TraceParts:
    """Keep the parts of each trace until its root span has come, or none comes any more.

    The root ends last, so its exporter sends it last. One in another application never comes.
    """

    def __init__(self) -> None:
        self._traces: dict[str, _Trace] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._traces)

    def __contains__(self, trace: str) -> bool:
        return trace in self._traces

    def add(self, number: int, part: PostedMessage, now_s: float) -> None:
        """Keep a part that comes now, under its number in the database."""
        trace = self._traces.setdefault(part.trace, _Trace(now_s))
        trace.numbers.append(number)
        trace.last_s = now_s
        trace.is_complete = trace.is_complete or part.is_complete
        if part.place not in trace.parts:  # an exporter may send it again
            trace.parts[part.place] = part
            self.size_bytes += len(part.payload)

    def due(self, now_s: float) -> dict[str, tuple[Sequence[int], Sequence[PostedMessage]]]:
        """Return the numbers and the parts of each trace that is complete, or quiet for long."""
        return {
            name: (trace.numbers, [*trace.parts.values()])
            for name, trace in self._traces.items()
            if trace.is_due(now_s)
        }

    def remove(self, traces: Iterable[str]) -> None:
        for name in traces:
            parts = self._traces.pop(name).parts.values()
            self.size_bytes -= sum(len(part.payload) for part in parts)
