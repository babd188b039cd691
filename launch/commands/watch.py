"""Check answers from Pub/Sub continuously, and alert.

`--demo` shows it on sample answers. `--runner DataflowRunner` starts a streaming job instead:
`groundwatch watch --runner DataflowRunner --help` lists its flags.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import (
    WatchDemoSettings,
    WatchSettings,
    WatchStreamSettings,
)

_DEMO = Command(
    help="Watch the sample answers, without a cloud.",
    settings=WatchDemoSettings,
    examples=("--demo", "--demo --output out/watched"),
    run="groundwatch.launch.watch.start:watch_demo",
)
_STREAM = Command(
    help="Check answers from Pub/Sub continuously, and alert, as a streaming job on Dataflow.",
    settings=WatchStreamSettings,
    examples=(
        "--runner DataflowRunner --subscription projects/P/subscriptions/S --output gs://B/live",
        "--runner DataflowRunner --help-all",
    ),
    run="groundwatch.launch.watch.start:watch_stream",
)
COMMAND = Command(
    settings=WatchSettings,
    examples=(
        "--demo",
        "--subscription projects/P/subscriptions/S --output out/live --health_address 8080",
    ),
    run="groundwatch.launch.watch.start:watch_subscription",
    variants=(("--runner", _STREAM), ("--demo", _DEMO)),
)
