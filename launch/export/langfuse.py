"""Send results to Langfuse as scores of traces."""

import os
from collections.abc import Sequence
from functools import partial
from multiprocessing.pool import ThreadPool

from launch.export.http_sender import HttpSender, TraceTarget, require_secret
from launch.export.result_payloads import langfuse_scores
from schemas.grounding_result import GroundingResult

_PARALLEL = 8
_CLOUD = "https://cloud.langfuse.com"


class LangfuseScores(TraceTarget):
    """Post a verdict and a score for each result; a repeated result replaces its scores."""

    name = "langfuse"
    max_rows = 50

    def __init__(self, url: str | None = None) -> None:
        keys = require_secret("LANGFUSE_PUBLIC_KEY"), require_secret("LANGFUSE_SECRET_KEY")
        variables = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
        given = url or next(filter(None, map(os.environ.get, variables)), _CLOUD)
        advice = "correct the address, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
        # Its threads are daemons: a server that hangs must not keep the process.
        self._threads = ThreadPool(_PARALLEL)
        self._sender = HttpSender(self.name, given, advice, auth=keys)

    def send(self, rows: Sequence[GroundingResult]) -> None:
        """Post the scores, one request each, some at a time."""
        scores = [score for row in rows for score in langfuse_scores(row)]
        post = partial(self._sender.post, "/api/public/scores")
        # One chunk a thread: it ends at the first error.
        self._threads.map(post, scores, chunksize=-(-len(scores) // _PARALLEL))

    def close(self) -> None:
        self._threads.terminate()
        super().close()
