"""The monitoring to be looked at: a Pub/Sub server, sample answers, and what comes of them."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.work_folder import WorkFolder
from launch.pubsub.topic import Topic
from launch.pubsub_server.server import PubSubServer
from launch.samples import sample_paths
from launch.watch.reporter import TerminalReporter
from launch.watch.watching import watch
from pipeline import storage
from pipeline.settings.commands import WatchSettings
from pipeline.settings.config import Config
from pipeline.settings.definition import build
from schemas.summary import Summary
from transforms.rules.topic_messages import build_message

ANSWERS = "projects/demo/subscriptions/answers"
_ANSWER_TOPIC = "projects/demo/topics/answers"
_PER_S = 20
_LOOK_EVERY_S = 0.1


def watch_demo(config: Config) -> Summary:
    """Monitor the sample answers, published at twenty a second, until all have come to their end.

    Verdicts and alerts are shown as they come. No connection leaves this machine.

    Args:
      config: of the main job; its work folder is emptied, and files of an earlier demo removed.

    Returns:
      The counts.

    Raises:
      FolderInUse: another demo writes to the same output.
      OSError: the output or the work folder cannot be used.
    """
    _forget_earlier(config)
    stop = threading.Event()
    with PubSubServer() as server:
        server.create(_ANSWER_TOPIC, ANSWERS)
        settings = build(WatchSettings, {"subscription": ANSWERS, "pubsub_address": server.address})
        sys.stdout.write(
            f"A local Pub/Sub server listens on {server.address}; {_PER_S} sample answers a second"
            " are published to it.\n"
        )
        with _alongside(_publish, server, stop):
            reporter = TerminalReporter(sys.stdout)
            return watch(config, settings, PipelineOptions([]), reporter=reporter, stop=stop)


def _forget_earlier(config: Config) -> None:
    work = WorkFolder(str(config.work_folder))
    with work.held():
        work.remove()
    found = storage.find_below(config.output)
    storage.remove([path for path in found if Path(path).name.startswith(f"{config.run}-")])


@contextmanager
def _alongside(
    work: Callable[[PubSubServer, threading.Event], None],
    server: PubSubServer,
    stop: threading.Event,
) -> Iterator[None]:
    thread = threading.Thread(target=work, args=(server, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _publish(server: PubSubServer, stop: threading.Event) -> None:
    """Publish all sample messages, and ask for the end once all are acknowledged."""
    paths = (Path(path) for path in sample_paths())
    lines = (line for path in paths for line in path.read_bytes().split(b"\n") if line.strip())
    with closing(Topic.open(_ANSWER_TOPIC, address=server.address)) as topic:
        while (batch := list(islice(lines, _PER_S // 4))) and not stop.wait(0.25):
            topic.publish(build_message(line, {}) for line in batch)
    while server.counts(ANSWERS).outstanding and not stop.wait(_LOOK_EVERY_S):
        pass
    stop.set()
