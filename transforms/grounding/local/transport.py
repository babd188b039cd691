"""The embedded checker in the place of the network."""

import asyncio
from collections.abc import Mapping

from transforms.grounding.local.entailment import EntailmentModel
from transforms.grounding.local.service import Reply, answer
from transforms.grounding.transport import RawReply


class LocalTransport:
    """Answers requests inside the process, in the service's own JSON: no socket, no wait.

    A check by words holds the event loop for its time, a millisecond or less for a usual answer;
    one by a model, which takes far longer, has a thread of its own.

    Args:
      scorer: the folder of a model that scores the claims; None has them scored by words.

    Raises:
      Misconfigured: the folder holds no model that can be used.
    """

    def __init__(self, scorer: str | None = None) -> None:
        self._entailment = EntailmentModel(scorer).probabilities if scorer else None

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """Answer one request; nobody asks who sends it."""
        del headers
        reply = await self.answer("POST", path, body)
        return RawReply(status=reply.status, body=reply.body)

    async def answer(self, method: str, path: str, body: bytes) -> Reply:
        """Answer one request of HTTP as Google's service does, its refusals included."""
        if self._entailment:
            return await asyncio.to_thread(answer, method, path, body, self._entailment)
        return answer(method, path, body)

    async def aclose(self) -> None:
        """Nothing is held."""
