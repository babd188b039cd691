"""The image's definition: linted, pinned, and one with what the tests run on."""

import re
import subprocess
import tomllib

import apache_beam
import pytest

from tests.support import templates
from tests.support.tools import tool

FOLDER = templates.FOLDER
ROOT = FOLDER.parents[1]
DOCKERFILE = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
PINNED = re.compile(r"([a-z0-9._-]+)==(\S+)( --hash=sha256:[0-9a-f]{64})+")


def requirements(name: str) -> dict[str, str]:
    """The versions in a file that holds nothing but pinned and hashed ones."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    lines = re.sub(r" \\\n +", " ", text).splitlines()
    matches = [PINNED.fullmatch(line) for line in lines]
    assert None not in matches
    return {match[1]: match[2] for match in matches if match}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def constraints() -> dict[str, str]:
    text = (ROOT / "launch" / "constraints.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)
    return {canonical(name): version for name, version in pinned}


def test_the_linter_finds_nothing() -> None:
    command = [tool("hadolint"), str(FOLDER / "Dockerfile")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", ["requirements.txt", "build-requirements.txt"])
def test_every_package_has_a_version_and_a_hash_and_no_address(name: str) -> None:
    assert requirements(name)


def test_the_image_holds_the_versions_that_the_tests_ran_on() -> None:
    known = constraints()
    for name, version in requirements("requirements.txt").items():
        assert known[canonical(name)] == version


def test_the_image_holds_all_that_the_project_depends_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        canonical(re.split(r"[\[<>=]", dependency)[0])
        for dependency in project["project"]["dependencies"]
    }
    assert needed <= set(map(canonical, requirements("requirements.txt")))


def test_workers_run_the_beam_that_builds_the_pipeline() -> None:
    tag = f"apache/beam_python3.11_sdk:{apache_beam.__version__}"
    assert f"ARG BEAM={tag}\n" in DOCKERFILE


def test_every_image_it_stands_on_has_a_tag_that_stays() -> None:
    images = re.findall(r"^ARG \w+=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert len(images) == 3
    assert all(re.search(r":.*\d", image) and "latest" not in image for image in images)


def test_what_it_copies_is_there_and_what_it_starts_is_the_templates_program() -> None:
    for path in re.findall(r"launch/dataflow/[\w.-]+", DOCKERFILE):
        assert (ROOT / path).exists()
    assert "FLEX_TEMPLATE_PYTHON_PY_FILE=/template/main.py" in DOCKERFILE
    assert DOCKERFILE.rstrip().endswith('ENTRYPOINT ["/opt/apache/beam/boot"]')
