"""The monitoring to be looked at: a Pub/Sub server, sample answers, and what comes of them."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import msgspec
from apache_beam.options.pipeline_options import PipelineOptions

from launch.gauges import read_gauges
from launch.local.work_folder import WorkFolder
from launch.pubsub.subscription import Subscription
from launch.pubsub.topic import Topic
from launch.pubsub_server.server import PubSubServer
from launch.samples import sample_paths
from launch.watch.settings import WatchSettings
from launch.watch.watching import watch
from pipeline import storage
from pipeline.config import Config
from schemas.message import Message
from schemas.summary import Summary
from schemas.verdict import Verdict
from transforms.rules.publishing import publishable

ANSWERS = "projects/demo/subscriptions/answers"
_ANSWER_TOPIC = "projects/demo/topics/answers"
_ALERT_TOPIC = "projects/demo/topics/alerts"
_ALERTS = "projects/demo/subscriptions/alerts"
_PER_S = 20
_TELL_EVERY_S = 1.0
_LOOK_EVERY_S = 0.1
_SHORT_ID = 12


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
        server.create(_ALERT_TOPIC, _ALERTS)
        settings = WatchSettings(
            subscription=ANSWERS, alert_topic=_ALERT_TOPIC, pubsub_address=server.address
        )
        sys.stdout.write(
            f"A Pub/Sub server of our own listens on {server.address}; {_PER_S} sample answers a"
            " second are published to it.\n\n"
        )
        with _alongside(_publish, server, stop), _alongside(_tell, server, stop):
            return watch(config, settings, PipelineOptions([]), stop=stop)


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
            topic.publish(publishable(line, {}) for line in batch)
    while server.counts(ANSWERS).outstanding and not stop.wait(_LOOK_EVERY_S):
        pass
    # The last alerts are on their way.
    stop.wait(_TELL_EVERY_S)
    stop.set()


def _tell(server: PubSubServer, stop: threading.Event) -> None:
    """Show alerts as they come, and now and then how many answers have which verdict."""
    told_at_s, start = time.monotonic(), read_gauges()
    with closing(Subscription.open(_ALERTS, address=server.address)) as alerts:
        while not stop.is_set():
            messages = alerts.pull(100, 1_000_000, _LOOK_EVERY_S)
            sys.stdout.writelines(_alert_line(message) for message in messages)
            alerts.acknowledge(message.place for message in messages)
            if time.monotonic() - told_at_s >= _TELL_EVERY_S:
                told_at_s = time.monotonic()
                now = read_gauges()
                counted = zip(Verdict, now.verdicts, start.verdicts, strict=True)
                tally = ", ".join(
                    f"{verdict.lower()} {after - before}"
                    for verdict, after, before in counted
                    if after > before
                )
                sys.stdout.write(f"{now.done - start.done:5} answers: {tally}\n")
            sys.stdout.flush()


def _alert_line(message: Message) -> str:
    alert = msgspec.json.decode(message.payload)
    about = alert["verdict"] or (alert["rate"] or {}).get("signal", "")
    state = (alert["rate"] or {}).get("state", "")
    score = (
        "" if alert["min_claim_score"] is None else f", worst claim {alert['min_claim_score']:.2f}"
    )
    engine = alert["engine"] or "no engine"
    identity = (alert["record_id"] or "")[:_SHORT_ID]
    parts = (alert["severity"].upper(), alert["kind"], about, state, engine, identity)
    return f"      ALERT {' '.join(filter(None, parts))}{score}\n"
