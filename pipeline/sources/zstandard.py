"""Import the module for zstandard: the standard library's, or its backport for older Pythons."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
