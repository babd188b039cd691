"""`groundwatch watch`."""

from launch.commands import Command
from pipeline.settings.commands import WatchDemoSettings, WatchSettings, WatchStreamSettings

_HELP = "check answers from Pub/Sub continuously, and alert"
_DEMO = Command(
    help="watch the sample answers, without a cloud",
    settings=WatchDemoSettings,
    run="launch.watch.demo:demo",
)
_STREAM = Command(
    help=f"{_HELP}, as a streaming job on Dataflow",
    settings=WatchStreamSettings,
    run="launch.dataflow.streaming:stream",
    takes_beam_options=True,
)
COMMAND = Command(
    help=_HELP,
    settings=WatchSettings,
    run="launch.watch.run:watch_subscription",
    description="`--demo` shows it on sample answers. `--runner DataflowRunner` starts a streaming"
    " job instead:\n`groundwatch watch --runner DataflowRunner --help` lists its flags.\n",
    takes_beam_options=True,
    variants=(("--runner", _STREAM), ("--demo", _DEMO)),
)
