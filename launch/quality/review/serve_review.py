"""Serve the review on this machine until it is interrupted."""

import asyncio
import logging
import os
import secrets
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from groundwatch.launch.cli.commands.review import ReviewSettings
from groundwatch.launch.cli.paths import user_folder, user_name
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.http_server import HttpServer, ServerLimits, address_of, open_listener
from groundwatch.launch.quality.evaluate.labels import UnreadableLabels
from groundwatch.launch.results.waiting_rows import find_results
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.load import Loaded, UsageError
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_thresholds
from groundwatch.transforms.rules.thresholds import Thresholds
from .answer_index import AnswerIndex
from .label_files import LabelFiles
from .review_pages import ReviewPages
from .routes import Routes

_LIMITS = ServerLimits(deadline_s=30.0, max_connections=64, max_body_bytes=64_000, shutdown_s=1.0)
_POLL_S = 2.0
_log = logging.getLogger(__name__)


def review(loaded: Loaded[ReviewSettings]) -> int:
    """Serve the pages; return the exit status."""
    settings = loaded.settings
    if settings.labels and not storage.is_local(settings.labels[0]):
        loaded.problems.append(f"--labels {settings.labels[0]}: the first file must be local")
    loaded.raise_problems()
    try:
        folders = {folder: _thresholds(folder) for folder in settings.folders}
        labels = LabelFiles(settings.labels, settings.labeller or user_name(), _now)
        index = AnswerIndex(folders, _cache_folder())
    except (OSError, UnreadableFile, UnreadableLabels) as error:
        return fail(f"the review cannot begin: {error}")
    try:
        asyncio.run(_serve(settings, index, labels))
    except OSError as error:
        return fail(f"the review cannot be served: {error}")
    finally:
        index.close()
    return DONE


async def _serve(settings: ReviewSettings, index: AnswerIndex, labels: LabelFiles) -> None:
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    token = secrets.token_urlsafe(24)
    pages = ReviewPages(f"/{token}", index, labels, settings.record_url)
    routes = Routes(token, index, labels, pages)
    with open_listener(settings.review_host, settings.review_port) as listener:
        async with HttpServer(routes.answer, _LIMITS).serving(listener):
            with _reading(index):
                address = f"{address_of(listener)}/{token}/"
                sys.stdout.write(f"{address}\nlabels: {labels.path}, by {labels.labeller}\n")
                sys.stdout.flush()
                for sentence in index.unpublished():
                    sys.stderr.write(f"groundwatch: {sentence}\n")
                if settings.open:
                    await loop.run_in_executor(None, webbrowser.open, address)
                await stopped.wait()


@contextmanager
def _reading(index: AnswerIndex) -> Iterator[None]:
    """Add new files to the index while a `with` block lasts."""
    stopped = threading.Event()

    def read() -> None:
        while True:
            try:
                index.add_new_files(stopped.is_set)
            except (OSError, UnreadableFile) as error:
                _log.warning("new answers cannot be read: %s", error)
            if stopped.wait(_POLL_S):
                return

    thread = threading.Thread(target=read, name="index")
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _thresholds(folder: str) -> Thresholds:
    """Return the thresholds of a folder's run; raise UsageError if it has no answers."""
    files = find_results(folder)
    if not files.enriched and not storage.find_below(folder):
        raise UsageError([f"{folder}: holds no enriched records: pass an output folder"])
    return read_thresholds(files)


def _cache_folder() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) / "groundwatch" if root else user_folder()) / "review"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
