"""What is handed out, as a wheel and as source: all that runs, and nothing else."""

import os
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from pathlib import Path, PurePath

import pytest

import groundwatch
from tests.support.distributions import build
from tests.support.repository import ROOT

FOR_THE_REPOSITORY = tuple(
    f"groundwatch/{path}"
    for path in (
        "launch/deploy/bigquery/",
        "launch/constraints.txt",
        "launch/deploy/dataflow/",
        "launch/deploy/flink/",
        "schemas/avro/released/alert/",
        "schemas/avro/released/failure/",
    )
)
"""Where files stand beside the code that nothing reads where groundwatch is installed."""


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_sdist", source, tmp_path_factory.mktemp("sdist"))


def files_of(source: Path) -> set[str]:
    """The files of the package that are to be handed out."""
    paths = (
        Path(folder, name).relative_to(source / "src")
        for folder, _, names in os.walk(source / "src" / "groundwatch", followlinks=True)
        for name in names
    )
    return {str(path) for path in paths if not is_for_the_repository(path)}


def is_for_the_repository(name: PurePath) -> bool:
    if str(name).startswith("groundwatch/launch/deploy/container/"):
        return True
    return name.suffix != ".py" and str(name).startswith(FOR_THE_REPOSITORY)


def without_metadata(names: Iterable[str]) -> set[str]:
    return {name for name in names if ".dist-info/" not in name and not name.endswith("/")}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(
    wheel: Path, source: Path
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert without_metadata(archive.namelist()) == files_of(source)


def test_its_only_top_level_package_is_groundwatch(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/")[0] for name in without_metadata(archive.namelist())}
    assert names == {"groundwatch"}


def test_the_source_makes_the_same_wheel_and_brings_no_tests(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        assert all(member.isfile() or member.isdir() for member in archive)
    shutil.unpack_archive(sdist, tmp_path)  # Python 3.11.2 has no filters of tar files
    [unpacked] = tmp_path.iterdir()
    assert not (unpacked / "tests").exists()
    assert contents(build("build_wheel", unpacked, tmp_path / "rebuilt")) == contents(wheel)


def contents(wheel: Path) -> dict[str, int]:
    """The checksums of what a wheel holds."""
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


def test_the_wheel_has_the_name_the_version_the_license_and_the_readme(wheel: Path) -> None:
    described = metadata(wheel)
    assert (described["Name"], described["Version"]) == ("groundwatch", groundwatch.__version__)
    assert (described["License-Expression"], described["License-File"]) == ("Apache-2.0", "LICENSE")
    assert described.get_payload(decode=True) == (ROOT / "README.md").read_bytes()


def test_the_changelog_has_an_entry_for_it_with_a_date() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert released[0] == groundwatch.__version__
