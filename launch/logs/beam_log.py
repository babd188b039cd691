"""Keeping texts of answers out of the log."""

import logging

_LOUD = (
    "apache_beam.runners.common",
    "apache_beam.runners.dataflow.dataflow_runner",
    "apache_beam.runners.worker",
)


def keep_beam_quiet() -> None:
    """Silence what Beam logs when a step raises: text of answers and all, and raised again."""
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_no_job_message)


def _is_no_job_message(record: logging.LogRecord) -> bool:
    """Tell Beam's echo of a runner's log, which has no name of its own, from all else."""
    return record.module != "portable_runner"
