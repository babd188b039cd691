"""Find out how many records of an archive count, before any of them is used."""

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from pipeline.damaged_archive import DamagedArchive
from schemas import Record
from schemas.message import SALVAGED, Message


class FileChanged(OSError):
    """A file is not any more as it was when its records were counted."""

    def __init__(self) -> None:
        super().__init__("it has changed since it was counted; give the same command again")


class Contents(Record, frozen=True, kw_only=True):
    """The records of an archive that count.

    Attributes:
      records: how many are to be read.
      verified: how many of these the file's checksums cover, where it has any; the others, at the
        end, are salvaged.
      damage: what is wrong with the file behind these; None for one that is whole.
      version: size in bytes and time of the last change of the file that was examined.
    """

    records: int
    verified: int
    damage: str | None = None
    version: tuple[int, int] = (0, 0)

    @property
    def messages(self) -> int:
        """The messages read from the archive: its records, and one for a damage."""
        return self.records + (self.damage is not None)


def examine(records: Iterable[Message], *, salvage: bool) -> Contents:
    """Read an archive to its end and find out how many of its records count.

    Args:
      records: of the archive, from its beginning; they may end in DamagedArchive.
      salvage: whether those that were read before the damage count though no checksum was verified.
    """
    read = 0
    try:
        for _ in records:
            read += 1
    except DamagedArchive as error:
        count = read if salvage else error.verified
        return Contents(records=count, verified=error.verified, damage=str(error))
    return Contents(records=read, verified=read)


def read_examined(records: Iterable[Message], contents: Contents) -> Iterator[Message]:
    """Yield the records that count, those that are salvaged with the attribute SALVAGED.

    Records that a file without checksums has got since are left for another run.

    Args:
      records: of the archive, from its beginning, once more.
      contents: what `examine` found.

    Raises:
      DamagedArchive: after the last record that counts, if the file is damaged.
      FileChanged: the file is not as it was when it was examined.
    """
    coming = iter(records)
    number = 0
    try:
        for number, record in enumerate(islice(coming, contents.records), 1):
            yield record if number <= contents.verified else _salvaged(record)
        if contents.damage is None:
            # Only this reads what verifies the end of the file.
            next(coming, None)
    except DamagedArchive:
        raise FileChanged from None
    if number < contents.records:
        raise FileChanged
    if contents.damage is not None:
        raise DamagedArchive(contents.damage, contents.verified)


def _salvaged(record: Message) -> Message:
    return replace(record, attributes={**record.attributes, SALVAGED: "true"})
