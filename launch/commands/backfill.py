"""Check an archive of answers."""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import BackfillSettings

COMMAND = Command(
    settings=BackfillSettings,
    run="groundwatch.launch.job.start:backfill",
    examples=(
        "--input 'answers/*.jsonl.gz' --output out/answers",
        "--input 'gs://b/*.avro' --output gs://b/checked --checker discoveryengine --project P",
    ),
)
