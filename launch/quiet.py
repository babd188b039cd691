"""Keeping texts of answers out of the log."""

import logging


def keep_beam_quiet() -> None:
    """Silence what Beam logs when a step raises: text of answers and all, and raised again."""
    for name in ("apache_beam.runners.common", "apache_beam.runners.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
