"""How groundwatch is run: the command line and what stands behind each command."""

__version__ = "0.1.0"
