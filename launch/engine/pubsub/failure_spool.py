"""Write the failures of a subscription to a file that `replay` reads."""

import logging
import time
from contextlib import closing
from pathlib import Path

from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from groundwatch.pipeline import storage
from groundwatch.pipeline.sinks.topic_messages import decode_failure
from groundwatch.schemas.failure import failure_to_json
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.grounding.settings import GoogleAccount
from groundwatch.transforms.persistence.private_files import create_file, make_folder
from groundwatch.transforms.runtime.waiting import waiting_for

EMPTY_AFTER_S = 5.0  # without a message, the subscription counts as empty
_MAX_MESSAGES, _MAX_BYTES = 1_000, 64 * MEGABYTE
_log = logging.getLogger(__name__)


def spool_failures(
    name: str,
    folder: str,
    *,
    address: str | None,
    account: GoogleAccount,
    idle_s: float = EMPTY_AFTER_S,
) -> str | None:
    """Write the failures of a subscription to a file; acknowledge each once it is on disk.

    The file of an interrupted replay is used as it is. The subscription counts as empty when
    nothing came for `idle_s` seconds. Without a failure, None is returned.
    """
    make_folder(folder)
    for left in sorted(Path(folder).glob("failures-*.jsonl")):
        if _cut_unfinished_line(left):
            return str(left)
        left.unlink()
    path = Path(folder) / f"failures-{time.time_ns()}.jsonl"
    settings = PullSettings(max_messages=2 * _MAX_MESSAGES, max_bytes=_MAX_BYTES)
    with (
        closing(PubSubSubscription(name, settings, address=address, account=account)) as failures,
        waiting_for(f"failures of {name}, until none comes for {idle_s:g} s"),
    ):
        while messages := failures.pull(_MAX_MESSAGES, _MAX_BYTES, idle_s):
            failures.acknowledge(_append(path, messages))
    return str(path) if path.exists() else None


def _cut_unfinished_line(path: Path) -> int:
    """Drop an incomplete last line, whose failure is redelivered; return the size."""
    with storage.describing_errors(f"cannot write {path}"), path.open("rb+") as stream:
        size_bytes = sum(len(line) for line in stream if line.endswith(b"\n"))
        stream.truncate(size_bytes)
    return size_bytes


def _append(path: Path, messages: tuple[Message, ...]) -> list[str]:
    found = ((message.place, _line(message)) for message in messages)
    lines = {place: line for place, line in found if line}
    if len(lines) < len(messages):
        _log.error("%d messages are not failures of groundwatch", len(messages) - len(lines))
    if lines:
        with storage.describing_errors(f"cannot write {path}"), create_file(path, "ab") as stream:
            stream.writelines(line + b"\n" for line in lines.values())
        storage.fsync(str(path))
    return list(lines)


def _line(announced: Message) -> bytes | None:
    try:
        return failure_to_json(decode_failure(announced))
    except ValueError:
        return None
