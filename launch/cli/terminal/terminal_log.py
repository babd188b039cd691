"""Write the log of a command as lines on the terminal."""

import logging

_OURS = "groundwatch"


def log_on_terminal() -> None:
    """Write warnings and errors to standard error, unless a log is set up already."""
    handler = logging.StreamHandler()
    handler.setFormatter(TerminalFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class TerminalFormatter(logging.Formatter):
    """Put before each message who says it: groundwatch, or the library, such as Beam."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; of a library's its lines are joined to one."""
        name = record.name.partition(".")[0]
        message = super().format(record)
        is_whole = name == _OURS or record.exc_info
        return f"{name}: {message if is_whole else ' '.join(message.split())}"
