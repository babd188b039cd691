"""What the command line of the tests takes."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the one switch of the tests of Pub/Sub."""
    parser.addoption(
        "--pubsub-emulator",
        metavar="PATH",
        help="Google's Pub/Sub emulator, to run its tests against, too; looked for on PATH and"
        " beside gcloud by default; 'none' goes without",
    )
