"""Starts the job that a Flex Template's parameters describe."""

import logging
import sys

from launch.dataflow.template import start
from pipeline.settings.load import UsageError

if __name__ == "__main__":
    # Before Beam sets up a log of its own.
    logging.basicConfig(level=logging.INFO)
    try:
        sys.exit(start(sys.argv[1:]))
    except UsageError as error:
        sys.exit("".join(f"groundwatch: {problem}\n" for problem in error.problems))
