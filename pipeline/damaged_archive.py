"""The one way in which an archive fails to be read on."""


class DamagedArchive(Exception):
    """An archive that ends too soon or cannot be read on; the records before it were good.

    Attributes:
      remains: the bytes that are left of the record that was cut.
    """

    def __init__(self, reason: str, remains: bytes = b"") -> None:
        super().__init__(reason)
        self.remains = remains
