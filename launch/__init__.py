"""How groundwatch is run: the command line and what stands behind each command."""

import os

# Otherwise gRPC writes to stderr when a connection ends. It reads this when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

__version__ = "2.0.0.dev0"
