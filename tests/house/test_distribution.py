"""What is handed out, as a wheel and as source: all that runs, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from pathlib import Path, PurePath

import msgspec
import pytest

import launch

ROOT = Path(launch.__file__).parents[1]
PACKAGES = ("launch", "pipeline", "schemas", "transforms")
PROJECT = ("LICENSE", "README.md", "pyproject.toml")

FOR_THE_REPOSITORY = (
    "launch/bigquery/",
    "launch/constraints.txt",
    "launch/dataflow/",
    "launch/flink/",
    "schemas/avro/released/",
)
"""Where files stand beside the code that nothing reads where groundwatch is installed."""

UNTRACKED = shutil.ignore_patterns("__pycache__", "*.so")
BUILD = "import sys; from setuptools import build_meta; build_meta.{}(sys.argv[1])"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source, without anything that was made of it: a build leaves traces."""
    copy = tmp_path_factory.mktemp("source")
    for name in PROJECT:
        shutil.copy(ROOT / name, copy)
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=UNTRACKED)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_sdist", source, tmp_path_factory.mktemp("sdist"))


def build(hook: str, source: Path, folder: Path) -> Path:
    """Build with the backend that pyproject.toml names, as a frontend without isolation does."""
    command = [sys.executable, "-c", BUILD.format(hook), str(folder)]
    done = subprocess.run(command, check=False, cwd=source, capture_output=True, text=True)  # noqa: S603 - our own source
    assert done.returncode == 0, done.stderr
    [built] = folder.iterdir()
    return built


def files_of(source: Path) -> set[str]:
    """The files of the packages that are to be handed out."""
    paths = (path for name in PACKAGES for path in (source / name).rglob("*") if path.is_file())
    names = (path.relative_to(source) for path in paths)
    wanted = {str(name) for name in names if not is_for_the_repository(name)}
    return {name.removeprefix("launch/library/") for name in wanted}


def is_for_the_repository(name: PurePath) -> bool:
    if str(name).startswith("launch/container/"):
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


def test_the_source_makes_the_same_wheel_and_brings_no_tests(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [unpacked] = tmp_path.iterdir()
    assert not list((unpacked / "tests").rglob("*.py"))
    rebuilt = build("build_wheel", unpacked, tmp_path / "rebuilt")
    with zipfile.ZipFile(rebuilt) as again, zipfile.ZipFile(wheel) as first:
        assert set(again.namelist()) == set(first.namelist())


def test_it_says_what_it_is(wheel: Path) -> None:
    described = metadata(wheel)
    assert (described["Name"], described["Version"]) == ("groundwatch", launch.__version__)
    assert (described["License-Expression"], described["License-File"]) == ("Apache-2.0", "LICENSE")
    assert described.get_payload(decode=True) == (ROOT / "README.md").read_bytes()


def test_the_changelog_has_an_entry_for_it_with_a_date() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert released[0] == launch.__version__


def test_what_is_installed_runs_the_demo_from_an_empty_folder_with_an_empty_home(
    wheel: Path, tmp_path: Path
) -> None:
    installed, home, folder = (tmp_path / name for name in ("installed", "home", "folder"))
    home.mkdir()
    folder.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)  # noqa: S202 - made just now
    done = subprocess.run(
        [sys.executable, "-P", "-m", "launch", "demo"],
        check=False,
        cwd=folder,
        env={"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "out" / "demo" / "summary.json").is_file()
    assert not list(home.iterdir())


@pytest.mark.parametrize("is_editable", [False, True], ids=["wheel", "clone"])
def test_mypy_reads_the_types_in_a_project_of_a_user(
    wheel: Path, source: Path, tmp_path: Path, is_editable: bool
) -> None:
    built = build("build_editable", source, tmp_path / "built") if is_editable else wheel
    venv.create(tmp_path / "env")
    [site] = (tmp_path / "env" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(site)  # noqa: S202 - made just now
    (site / "dependencies.pth").write_text(f"{Path(msgspec.__file__).parents[1]}\n")
    project = tmp_path / "project"
    project.mkdir()
    python = str(tmp_path / "env" / "bin" / "python")
    (project / "app.py").write_text(
        "from groundwatch import check\n"
        'reveal_type(check("Lamps glow.", ["Lamps glow."]).support_score)\n'
        'check("Lamps glow.", 3)\n'
    )
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "app.py"],
        check=False,
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert 'Revealed type is "float | None"' in done.stdout, done.stdout + done.stderr
    assert 'Argument 2 to "check" has incompatible type "int"' in done.stdout
    assert "Found 1 error in 1 file" in done.stdout
