"""`groundwatch COMMAND --help`."""

import sys
from collections.abc import Sequence

from launch.flags import help_lines
from launch.terminal.exit_status import DONE
from pipeline.option import Option


def wants_help(arguments: Sequence[str]) -> bool:
    """Tell whether the command's help is asked for."""
    return bool({"--help", "-h"} & set(arguments))


def write_help(command: str, options: Sequence[Option], closing: str = "") -> int:
    """Print a command's flags.

    Args:
      command: its name.
      options: the flags.
      closing: stands behind them.

    Returns:
      The exit status: done.
    """
    lines = "\n".join(help_lines(options))
    sys.stdout.write(f"usage: groundwatch {command} [--flag value ...]\n\n{lines}\n{closing}")
    return DONE
