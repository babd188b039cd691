"""Keep the text of answers out of Beam's log lines."""

import logging

_LOGGERS = (
    "apache_beam.runners.common",
    "apache_beam.runners.dataflow.dataflow_runner",
    "apache_beam.runners.worker",
)


def keep_beam_quiet() -> None:
    """Silence what Beam logs when a step raises: it contains text, and is raised again."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_own_line)


def _is_own_line(record: logging.LogRecord) -> bool:
    """Return whether a line is not Beam's copy of a runner's log, which has no logger name."""
    return record.module != "portable_runner"
