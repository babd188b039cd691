"""Read passages from texts, archives of answers, and output folders."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from heapq import heappush, heappushpop
from typing import NamedTuple

from groundwatch.launch.cli.archive_messages import ArchiveMessages
from groundwatch.launch.cli.paths import is_archive_name
from groundwatch.launch.cli.terminal.unreadable_input import SHOWN_FAULTS
from groundwatch.launch.results.find_records import find_records
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.archives import has_checksums
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import ParseOptions
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers

_BLANK_LINES = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
_MOST_ANSWERS = 2_000
"""Of more, those with the lowest hashes of their facts are read: enough for each kind."""


class ReadPassages:
    """The passages that were read, and what could not be.

    Attributes:
      groups: each the facts of one answer, or of one text.
      faults: the first messages that could not be read, without their text.
      damaged: what is wrong in archives that could not be read to their end.
    """

    def __init__(self) -> None:
        self.groups: list[tuple[Fact, ...]] = []
        self.faults: list[str] = []
        self.damaged: list[str] = []

    def add_text(self, text: str) -> None:
        """Add the passages of a text, which have blank lines between them."""
        passages = filter(None, map(str.strip, _BLANK_LINES.split(text)))
        self.groups.append(tuple(Fact(text=each) for each in passages))

    def add_archives(self, paths: Sequence[str], parsing: ParseOptions) -> None:
        """Add the facts of the answers of archives; raise OSError if one cannot be read."""
        messages = ArchiveMessages(paths)
        kept: dict[int, tuple[Fact, ...]] = {}
        highest: list[int] = []
        for message in messages:
            for answer in parse_answers(message, parsing):
                if isinstance(answer, ParseFailure):
                    if len(self.faults) < SHOWN_FAULTS:
                        self.faults.append(f"{message.place}: {answer.error}")
                    continue
                rank = _rank(answer.facts)
                if not answer.facts or rank in kept:
                    continue
                kept[rank] = answer.facts
                if len(kept) <= _MOST_ANSWERS:
                    heappush(highest, -rank)
                else:
                    del kept[-heappushpop(highest, -rank)]
        self.groups += (kept[rank] for rank in sorted(kept))
        self.damaged += messages.damaged


def _rank(facts: Sequence[Fact]) -> int:
    """Place the facts of an answer among others by chance, but in the same way in every run."""
    texts = "\0".join(fact.text for fact in facts)
    return int.from_bytes(sha256(texts.encode(errors="surrogatepass")).digest())


class FoundInputs(NamedTuple):
    """The files that were found: texts, and archives or enriched records."""

    texts: list[str]
    archives: list[str]


def find_facts(patterns: Sequence[str], problems: list[str]) -> FoundInputs:
    """Find the files of texts, archives and output folders; append what is wrong."""
    found = FoundInputs([], [])
    for path in find_records("FACTS", patterns, problems):
        (found.archives if _is_archive(path) else found.texts).append(path)
    return found


def _is_archive(path: str) -> bool:
    """Return whether a file is an archive, by its name or by what it begins with."""
    if is_archive_name(path):
        return True
    with storage.read_ahead(path) as stream:
        return has_checksums(stream) or stream.peek(1)[:1] == b"{"


def read_texts(paths: Sequence[str], problems: list[str]) -> Iterator[str]:
    """Read texts in UTF-8; append those that cannot be read to the problems."""
    for path in paths:
        try:
            yield storage.read_whole(path).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"FACTS {path}: cannot be read: {error}")
