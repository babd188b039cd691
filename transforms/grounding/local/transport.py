"""The embedded checker in the place of the network."""

from collections.abc import Mapping

from transforms.grounding.local.service import answer
from transforms.grounding.transport import RawReply


class LocalTransport:
    """Answers requests inside the process, in the service's own JSON: no socket, no wait.

    A check holds the event loop for its time, a millisecond or less for a usual answer.
    """

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """Answer one request; nobody asks who sends it."""
        del headers
        reply = answer("POST", path, body)
        return RawReply(status=reply.status, body=reply.body)

    async def aclose(self) -> None:
        """Nothing is held."""
