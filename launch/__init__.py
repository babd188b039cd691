"""How groundwatch is run: the command line and what stands behind each command."""

import os

# gRPC writes to stderr whenever a connection ends, in a form of its own, unless told so before it
# is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

__version__ = "2.0.0.dev0"
