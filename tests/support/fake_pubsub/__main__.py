"""`python -m tests.support.fake_pubsub`: the server by itself, to be played with.

It prints what PUBSUB_EMULATOR_HOST is to be, and serves until SIGINT or SIGTERM.
"""

import argparse
import signal
import sys
from pathlib import Path

from tests.support.fake_pubsub.refused import Refused
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings


def main(arguments: list[str]) -> None:
    """Serve one topic with one subscription until it is stopped."""
    parser = argparse.ArgumentParser("python -m tests.support.fake_pubsub")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; a free one by default")
    parser.add_argument("--topic", default="projects/local/topics/answers")
    parser.add_argument("--subscription", default="projects/local/subscriptions/answers")
    parser.add_argument("--publish", type=Path, metavar="FILE", help="publish each line of a file")
    flags = parser.parse_args(arguments)
    stops = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        with FakePubSub(ServerSettings(port=flags.port)) as server:
            server.create(flags.topic, flags.subscription)
            if flags.publish:
                server.publish(flags.topic, flags.publish.read_bytes().splitlines())
            sys.stdout.write(f"PUBSUB_EMULATOR_HOST={server.address}\n")
            sys.stdout.flush()
            signal.sigwait(stops)
    except (RuntimeError, Refused, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
