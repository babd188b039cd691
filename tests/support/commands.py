"""Running groundwatch in a process of its own."""

import os
import sys
from pathlib import Path

import launch

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(launch.__file__).parents[1])}
"""Of a process that finds this very source."""

GROUNDWATCH = (sys.executable, "-m", "launch")
