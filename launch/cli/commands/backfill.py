"""Check an archive of answers."""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings
from . import Command


class InputSettings(Settings, frozen=True, kw_only=True):
    """Which archives are read.

    input: Archives, local or gs://: paths, globs or folders of JSON lines or CSV (plain, .gz,
      .zst), Avro or Parquet. `backfill` reads JSON lines from standard input for -.
    """

    input: tuple[kinds.Location, ...]


class BackfillSettings(Settings, frozen=True, kw_only=True):
    """The settings of `backfill`."""

    input: InputSettings
    job: Annotated[JobSettings, Note(without="api_version")]


COMMAND = Command(
    settings=BackfillSettings,
    run="groundwatch.launch.backfill.start_job:backfill",
    examples=(
        "--input 'answers/*.jsonl.gz' --output out/answers",
        "--input 'gs://b/*.avro' --output gs://b/checked --checker discoveryengine --project P",
    ),
)
