"""The images' definition: linted, pinned, and one with what the tests run on."""

import os
import re
import subprocess
import tomllib

import apache_beam
import pytest

from tests.support.repository import FOLDERS, ROOT
from tests.support.tools import tool

FOLDER = ROOT / "launch" / "deploy" / "container"
REQUIREMENTS = ("requirements.txt", "dataflow-requirements.txt")
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


def targets() -> dict[str, str]:
    """The text of each stage that has a name."""
    stages = re.split(r"^FROM \S+ AS (\w+)$", DOCKERFILE, flags=re.MULTILINE)
    return dict(zip(stages[1::2], stages[2::2], strict=True))


def is_in_context(name: str) -> bool:
    """Whether the build gets a file: the last pattern counts that matches it or its folder."""
    is_in = True
    lines = (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for line in lines:
        pattern = re.escape(line.removeprefix("!")).replace(r"\*\*/", "(.*/)?")
        if not line.startswith("#") and re.match(pattern.replace(r"\*", "[^/]*") + "(/|$)", name):
            is_in = line.startswith("!")
    return is_in


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("hadolint", "Dockerfile"),
        ("shellcheck", "pin"),
        ("check-jsonschema --quiet --builtin-schema vendor.compose-spec", "compose.yaml"),
    ],
)
def test_the_linter_finds_nothing(command: str, name: str) -> None:
    program, *flags = command.split()
    given = [tool(program), *flags, str(FOLDER / name)]
    done = subprocess.run(given, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    assert (done.returncode, done.stdout) == (0, "")


def test_the_script_that_pins_can_be_started() -> None:
    assert os.access(FOLDER / "pin", os.X_OK)


@pytest.mark.parametrize("name", [*REQUIREMENTS, "build-requirements.txt"])
def test_every_package_has_a_hash_and_the_version_that_the_tests_ran_on(name: str) -> None:
    pinned = {canonical(package): version for package, version in requirements(name).items()}
    assert pinned
    assert pinned.items() <= constraints().items()


def test_an_image_holds_all_that_the_project_depends_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        canonical(re.split(r"[\[<>=]", dependency)[0])
        for dependency in project["project"]["dependencies"]
    }
    worker, dataflow = map(requirements, REQUIREMENTS)
    assert needed <= set(map(canonical, worker))
    assert worker.items() <= dataflow.items()


def test_the_build_gets_the_source_and_nothing_else() -> None:
    names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    sent = {name for name in names if not name.startswith(".") and is_in_context(name)}
    packages = set(FOLDERS)
    assert {name.split("/")[0] for name in sent} == packages | {
        "LICENSE",
        "README.md",
        "pyproject.toml",
    }
    source = {name for name in names if name.split("/")[0] in packages and name.endswith(".py")}
    assert source <= sent
    assert not [name for name in sent if re.search("__pycache__|[.]tf$|/kubernetes/|grafana", name)]


def test_workers_run_the_beam_that_builds_the_pipeline() -> None:
    tag = f"apache/beam_python3.11_sdk:{apache_beam.__version__}"
    assert f"ARG BEAM={tag}\n" in DOCKERFILE


def test_every_image_it_stands_on_has_a_tag_that_stays() -> None:
    images = re.findall(r"^ARG [A-Z]+=(\S+:\S+)$", DOCKERFILE, re.MULTILINE)
    assert len(images) == 3
    assert all(re.search(r":.*\d", image) and "latest" not in image for image in images)
    assert re.search(r"@sha256:[0-9a-f]{64}$", images[0])


def test_what_it_copies_is_there() -> None:
    for path in re.findall(r"launch/\w+/[\w.-]+", DOCKERFILE):
        assert (ROOT / path).exists()
        assert is_in_context(path)


def test_the_template_starts_its_program() -> None:
    stage = targets()["dataflow"]
    assert "COPY launch/deploy/dataflow/__main__.py /template/main.py\n" in stage
    assert "FLEX_TEMPLATE_PYTHON_PY_FILE=/template/main.py" in stage
    assert 'ENTRYPOINT ["/opt/apache/beam/boot"]\n' in stage


def test_the_worker_is_the_default_target_and_no_root() -> None:
    *_, (name, stage) = targets().items()
    assert name == "groundwatch"
    assert "\nUSER 10001:10001\n" in stage
    assert 'ENTRYPOINT ["groundwatch"]\n' in stage
    assert "/livez" in stage
