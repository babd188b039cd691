"""Users without an entry, and without a home: containers run under such numbers."""

import os
import pwd
from pathlib import Path

import pytest

from groundwatch.launch.cli.paths import default_work_folder, user_folder, user_name
from groundwatch.pipeline.settings.config import Destination


@pytest.fixture
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(number: int) -> object:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", find)
    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("_nobody")
def test_a_user_without_an_entry_has_a_number_for_a_name() -> None:
    assert user_name() == str(os.getuid())


def test_the_environment_names_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    assert user_name() == "ada"


def test_the_folder_of_a_user_is_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_folder() == tmp_path / ".cache" / "groundwatch"


@pytest.mark.usefixtures("_nobody")
@pytest.mark.parametrize("home", [None, "/", "/nonexistent"])
def test_a_user_without_a_home_has_a_folder_for_temporary_files(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if home:
        monkeypatch.setenv("HOME", home)
    expected = tmp_path / f"groundwatch-{os.getuid()}"
    assert user_folder() == expected
    work_folder = Path(default_work_folder(Destination(root="gs://b/out", run="r1")))
    assert work_folder.parent == expected


@pytest.mark.usefixtures("_nobody")
def test_the_folder_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = user_folder()
    before.mkdir()
    assert user_folder() == before
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    before.rename(tmp_path / f"groundwatch-{other}")
    found = user_folder()
    assert found.name != f"groundwatch-{other}"
    assert found.stat().st_mode & 0o077 == 0
