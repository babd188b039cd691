"""Label answers in a browser, and see how good the verdicts are.

The page is served on this machine only, under an address that nobody can guess. New files of a
worker appear as they are written. `evaluate` and `calibrate` read the labels with --gold.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from . import Command


class ReviewSettings(Settings, frozen=True, kw_only=True):
    """The settings of `review`.

    folders: Output folders, local or gs://.
    labels: Files of labels, JSON lines. The first one is written, and need not exist.
    labeller: Who labels. Default: the user of this computer.
    review_port: TCP port; 0 takes a free one.
    review_host: Address to listen on. Whoever knows the page's address can read and label.
    open: Open the page in the browser.
    record_url: Address of a record in your viewer, such as https://viewer.example/r/{record_id}.
    """

    folders: Annotated[tuple[kinds.Location, ...], Note(positional="DIR")]
    labels: tuple[kinds.Location, ...] = ("labels.jsonl",)
    labeller: kinds.Text | None = None
    review_port: Annotated[kinds.Port, Note(flag="port")] = 8765
    review_host: Annotated[kinds.Text, Note(flag="host")] = "127.0.0.1"
    open: Annotated[kinds.Switch, Note(is_argument=True)] = False
    record_url: kinds.RecordUrl | None = None


COMMAND = Command(
    settings=ReviewSettings,
    run="groundwatch.launch.quality.review.serve_review:review",
    examples=(
        "out/answers --open",
        "out/answers out/live --labels mine.jsonl theirs.jsonl --labeller ada",
    ),
)
