"""What carries a request to a checker and its reply back."""

from collections.abc import Mapping
from typing import Protocol

from schemas import Record


class RawReply(Record, frozen=True, kw_only=True):
    """What came back, not yet believed.

    Attributes:
      status: of HTTP.
      retry_after: the header of that name, None without.
      encoding: the header Content-Encoding, None without.
      body: as it came, packed or not.
    """

    status: int
    body: bytes
    retry_after: str | None = None
    encoding: str | None = None


class Transport(Protocol):
    """Sockets, or the embedded checker in their place."""

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """Send one request and return its reply, whatever its status.

        Raises:
          Unavailable: there is no connection, or it broke.
          BadReply: the reply is too long.
        """

    async def aclose(self) -> None:
        """Let go of what is held."""
