"""Send the results of a folder to another tool, or write a table.

An interrupted export resumes where it stopped. A record that is sent twice has the same id.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.storage.named_output import is_stream
from . import Command

TABLES = ("csv", "parquet")
"""The files that `export` writes; the other values of `--to` are tools."""

_OF_TABLES = " ".join(f"to={name}" for name in TABLES)
_OF_TOOLS = "to=langfuse to=mlflow to=opentelemetry to=phoenix"


class ExportSettings(Settings, frozen=True, kw_only=True):
    """The settings of `export`.

    folder: An output folder, local or gs://.
    to: Tool that receives the results, or the kind of table that is written.
    endpoint: Address of the tool. Default: that of its environment variables, which also have its
      keys.
    since: Send a tool only records from this event time on, such as 2026-03-02T12:00:00Z.
    export_text: Also send the text of the least supported claim.
    export_output: File of the table; - is standard output.
    progress: File that keeps which records were sent. Default: a hidden file in DIR.
    """

    folder: Annotated[kinds.Location, Note(positional="DIR")]
    to: Literal["csv", "langfuse", "mlflow", "opentelemetry", "parquet", "phoenix"]
    endpoint: Annotated[kinds.Url | None, Note(needs=_OF_TOOLS)] = None
    since: Annotated[kinds.Time | None, Note(needs=_OF_TOOLS)] = None
    export_text: Annotated[kinds.Switch, Note(flag="alert_text", needs=_OF_TOOLS)] = False
    export_output: Annotated[kinds.Location | None, Note(flag="output", needs=_OF_TABLES)] = None
    progress: Annotated[kinds.Location | None, Note(needs=_OF_TOOLS)] = None

    def problems(self) -> Iterator[str]:
        if self.to in TABLES and not self.export_output:
            yield f"--output is missing: name the file for --to {self.to}"
        if self.progress and is_stream(self.progress):
            yield f"--progress {self.progress}: must be a file"


COMMAND = Command(
    settings=ExportSettings,
    run="groundwatch.launch.results.export.run_export:export",
    examples=(
        "out/answers --to langfuse",
        "out/answers --to phoenix --endpoint http://127.0.0.1:6006 --since 2026-03-02",
        "out/answers --to csv --output answers.csv",
    ),
)
