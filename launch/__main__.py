"""`python -m launch COMMAND` is the same as `groundwatch COMMAND`."""

import sys

from launch.main import main

sys.exit(main())
