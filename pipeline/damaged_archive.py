"""Damage in an archive."""


class DamagedArchive(Exception):
    """An archive cannot be read, or a checksum in it is wrong, from some place on.

    Attributes:
      verified: how many records before the damage count: their checksum was verified, or nothing
        in the file covers them. Records that were read after these do not count.
    """

    def __init__(self, reason: str, verified: int = 0) -> None:
        super().__init__(reason)
        self.verified = verified
