"""What a command says by its exit status."""

import sys

DONE = 0
"""All is done and accounted for."""

FAILED = 1
"""It is not done, or not all is accounted for."""

USAGE = 2
"""It has not begun: something is wrong with the command line."""

LEFT = 3
"""It is done, but something is left that another try may mend."""


def fail(sentence: str) -> int:
    """Tell a person on stderr why a command failed; returns the exit status that says so."""
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return FAILED
