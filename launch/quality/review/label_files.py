"""Keep people's labels: JSON Lines, one line a decision, on disk before it is shown."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import IO, Literal

import msgspec
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate import labels
from groundwatch.launch.quality.evaluate.strata import Agreement, measure_agreement
from groundwatch.pipeline import storage
from groundwatch.pipeline.storage.local_files import NoLocks, open_locked
from groundwatch.schemas.answer import Label

_LOCK_WAIT_S = 10.0
_MODE = 0o640
_NOTHING_READ = (0, 0)


class LabelFiles:
    """The labels of one or more files; the first one, which is local, is written.

    Other processes may append to them; those in a bucket are read once.

    Args:
      paths: the files; the first one need not exist.
      labeller: who labels now.
      now: returns the time as RFC 3339.

    Raises:
      UnreadableLabels: a line is not a label.
      OSError: a file cannot be read, or later written.
    """

    def __init__(self, paths: Sequence[str], labeller: str, now: Callable[[], str]) -> None:
        self.path, self.labeller, self._now = paths[0], labeller, now
        self._logs = [DecisionLog(path) for path in paths]
        self._decisions: defaultdict[str, list[labels.ReviewDecision]] = defaultdict(list)
        self._changed: set[str] = set()
        self._taken: list[tuple[labels.ReviewDecision, str | None]] = []
        for path in paths[1:]:
            storage.version(path)  # raises if it is missing
        self.read_new()

    def read_new(self) -> None:
        """Read what was appended to the files, or all of them again if one was replaced."""
        if any(log.is_replaced() for log in self._logs):
            self._changed.update(self._decisions)
            self._decisions.clear()
            self._logs = [DecisionLog(log.path) for log in self._logs]
        for log in self._logs:
            for each in log.read_new():
                self._decisions[each.record_id].append(each)
                self._changed.add(each.record_id)
        for record_id in self._changed & self._decisions.keys():
            self._decisions[record_id].sort(key=labels.decided_at_us)

    def take_changed(self) -> set[str]:
        """Return the answers whose labels have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def add(
        self,
        record_id: str,
        label: str | None,
        span: tuple[int, int] | None = None,
        sample: str | None = None,
    ) -> None:
        """Append a decision; it is on disk when this returns."""
        decision = labels.ReviewDecision(
            record_id=record_id,
            span=span,
            label=label,
            labeller=self.labeller,
            time=self._now(),
            sample=sample,
        )
        before = self.decisions(record_id).get(span)
        self._append(decision)
        self._taken.append((decision, before))

    def _append(self, decision: labels.ReviewDecision) -> None:
        self._logs[0].append(decision)
        self.read_new()

    def undo(self) -> str | None:
        """Take back the last decision since the start; return its record id."""
        if not self._taken:
            return None
        decision, before = self._taken[-1]
        self._append(replace(decision, label=before, time=self._now()))
        self._taken.pop()
        return decision.record_id

    def record_ids(self) -> list[str]:
        """List the answers on which somebody has decided."""
        return list(self._decisions)

    def label(self, record_id: str) -> Label | None:
        """Return what the last decisions say of an answer."""
        return labels.answer_label(self._decisions.get(record_id, ()))

    def word(self, record_id: str) -> str | None:
        """Return the label of an answer as a word, UNSURE if only that is known."""
        if label := self.label(record_id):
            return labels.UNSUPPORTED if label.is_unsupported else labels.SUPPORTED
        return labels.UNSURE if labels.UNSURE in self.decisions(record_id).values() else None

    def decisions(
        self, record_id: str, labeller: str | None = None
    ) -> dict[tuple[int, int] | None, str]:
        """Return the last label of an answer (None) and of each claim, by anybody or one person."""
        given = self._decisions.get(record_id, ())
        last = {each.span: each.label for each in given if labeller in (None, each.labeller)}
        return {span: label for span, label in last.items() if label}

    def sample(self, record_id: str) -> str | None:
        """Return the stratum that a labelled answer was drawn from, None if it was chosen."""
        found = [each.sample for each in self._decisions.get(record_id, ()) if each.sample]
        return found[-1] if found and self.word(record_id) else None

    def agreements(self) -> Iterator[tuple[str, str, Agreement, list[str]]]:
        """Compare each two people who have labelled the same answers; name those that differ."""
        by_person: dict[str, dict[str, bool]] = defaultdict(dict)
        for record_id, given in self._decisions.items():
            for person in {each.labeller for each in given}:
                if label := labels.answer_label(each for each in given if each.labeller == person):
                    by_person[person][record_id] = label.is_unsupported
        for first, second in combinations(sorted(by_person), 2):
            own, other = by_person[first], by_person[second]
            common = [record_id for record_id in own if record_id in other]
            if agreement := measure_agreement([(own[each], other[each]) for each in common]):
                differing = [each for each in common if own[each] != other[each]]
                yield first, second, agreement, differing


class DecisionLog:
    """A file of decisions, local or gs://; a local one may grow, and need not exist.

    Raises:
      UnreadableLabels: a line is not a decision.
      OSError: the file cannot be read or written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._start_byte = self._lines = 0  # of what is not read yet
        self._identity = _NOTHING_READ

    def append(self, decision: labels.ReviewDecision) -> None:
        """Append a decision; it is on disk when this returns, and no part of it if this raises."""
        content = msgspec.json.encode(decision) + b"\n"
        with storage.describing_errors(f"cannot write {self.path}"), _locked(self.path) as stream:
            size_bytes = stream.seek(0, os.SEEK_END)
            if size_bytes and not _has_line_end(stream):
                # A torn line must not swallow this one.
                content = b"\n" + content
            try:
                _write(stream.fileno(), content)
            except OSError:
                os.ftruncate(stream.fileno(), size_bytes)
                raise

    def is_replaced(self) -> bool:
        """Return whether the file is another one than the one that was read, or was cut."""
        if self._identity == _NOTHING_READ:
            return False
        status = self._status()
        return status is None or status[0] != self._identity or status[1] < self._start_byte

    def read_new(self) -> list[labels.ReviewDecision]:
        """Read the decisions that were appended since the last call; all in the first."""
        if not storage.is_local(self.path):
            # An object cannot grow.
            return self._decisions(b"" if self._start_byte else storage.read_whole(self.path))
        status = self._status()
        if status is None or status[1] == self._start_byte:
            return []
        reading = storage.describing_errors(f"cannot read {self.path}")
        with reading, _locked(self.path, "rb") as stream:
            stream.seek(self._start_byte)
            decisions = self._decisions(stream.read())
        self._identity = status[0]
        return decisions

    def _decisions(self, content: bytes) -> list[labels.ReviewDecision]:
        decisions = []
        for place, line in labels.read_label_lines(
            content.split(b"\n"), self.path, self._lines + 1
        ):
            try:
                decisions.append(msgspec.json.decode(line, type=labels.ReviewDecision))
            except msgspec.MsgspecError:
                problem = "is no label that `groundwatch review` writes"
                raise labels.UnreadableLabels(f"{place}: {problem}") from None
        self._start_byte += len(content)
        self._lines += content.count(b"\n")
        return decisions

    def _status(self) -> tuple[tuple[int, int], int] | None:
        """Look up what identifies the file, and its size in bytes; None if it does not exist."""
        with suppress(FileNotFoundError):
            found = Path(self.path).stat()
            return (found.st_dev, found.st_ino), found.st_size
        return None


@contextmanager
def _locked(path: str, mode: Literal["rb", "a+b"] = "a+b") -> Iterator[IO[bytes]]:
    """Open a file that no other process appends to while a `with` block lasts."""
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_APPEND | os.O_CREAT
    open_path = partial(os.open, path, flags, _MODE)
    try:
        descriptor = open_locked(open_path, path, _LOCK_WAIT_S, is_shared=mode == "rb")
    except NoLocks as error:
        raise OSError(f"{error}: give --labels a file on a local disk") from None
    if descriptor is None:
        raise OSError(f"another process holds {path}: end it, or try again later")
    with os.fdopen(descriptor, mode) as stream:
        yield stream


def _has_line_end(stream: IO[bytes]) -> bool:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1) == b"\n"


def _write(descriptor: int, content: bytes) -> None:
    """Write past the stream, which would write the rest later; a full disk may take a part."""
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)
