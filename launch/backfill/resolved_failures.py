"""Find the failures that earlier replays into the same output have resolved."""

from contextlib import closing
from itertools import chain, islice

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.publication import read_manifest
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.pipeline.sources.output_folder import read_record_ids
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.persistence.seen_ids import BEFORE_THE_RUN, SeenIds

_IDS_A_CLAIM = 500


def resolving_files(config: Config) -> list[str]:
    """List the files of records that all other replays into the output folder have written.

    An interrupted replay of the same id is this one, or is replaced by it. Deleted files are left
    out: who deletes results wants them again.
    """
    destination = config.destination
    replays = (
        run
        for run in read_summaries(config.output)
        if _is_replay(run)
        and (run.is_complete or (run.run, run.source) != (config.run, config.source))
    )
    entries = (read_manifest(destination, run.name, "enriched") for run in replays)
    paths = (destination.path(entry.path) for entry in chain.from_iterable(entries))
    return [path for path in paths if storage.exists(path)]


def _is_replay(run: Summary) -> bool:
    # Earlier releases noted it only where failures of the folder itself were resolved.
    return run.replayed is not None or (run.planned is not None and run.planned.replays)


def claim_resolved(config: Config, path: str) -> None:
    """Claim the resolved record ids in the database of a replay, which then drops them.

    Raises:
      OSError: a file of an earlier replay is damaged: what it has resolved is unknown.
    """
    with closing(SeenIds(path)) as seen:
        # What an earlier attempt found may be gone.
        seen.start_batch(BEFORE_THE_RUN, is_retry=True)
        ids = chain.from_iterable(map(read_record_ids, resolving_files(config)))
        while claimed := list(islice(ids, _IDS_A_CLAIM)):
            seen.claim(claimed)
