"""A server of posts over a database, without a worker."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.watch.posts.access import Access
from groundwatch.launch.watch.posts.post_server import PostServer
from groundwatch.launch.watch.posts.posted_messages import LIMITS, PostedMessages
from groundwatch.schemas.message import ParseOptions
from tests.support.posting import Posting


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "run.sqlite")


@pytest.fixture
def posting(database: str) -> Iterator[Callable[..., Posting]]:
    """Opens a server over messages, with other limits, access, options or state."""
    with ExitStack() as opened:

        def open_server(**given: Any) -> Posting:
            messages = opened.enter_context(
                closing(PostedMessages(database, given.get("limits", LIMITS)))
            )
            server = PostServer(
                ("127.0.0.1", 0),
                messages,
                given.get("access", Access()),
                given.get("options", ParseOptions()),
                given.get("is_draining", lambda: False),
            )
            opened.callback(server.close)
            return Posting(server, messages)

        yield open_server
