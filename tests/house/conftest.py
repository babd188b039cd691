"""What is handed out, built once for all tests of a process."""

from pathlib import Path

import pytest

from tests.support.distributions import build, copy_source


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the source."""
    return copy_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the copy."""
    return build("build_wheel", source, tmp_path_factory.mktemp("wheel"))
