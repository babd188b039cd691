"""Run a command: `python -m groundwatch COMMAND` is the same as `groundwatch COMMAND`."""

import sys

from .launch.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
