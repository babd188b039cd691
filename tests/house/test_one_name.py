"""Groundwatch in a project that has packages of its own with the names of ours."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.distributions import Environment

NAMES = ("launch", "pipeline", "schemas", "tests", "transforms")
OWN = '"""The user\'s own."""\n\nOWNER = "user"\n'

CHECK = """
from groundwatch import check
assert check("Lamps glow.", ["Lamps glow."]).verdict == "GROUNDED"
import launch, pipeline, schemas, tests, transforms
assert {each.OWNER for each in (launch, pipeline, schemas, tests, transforms)} == {"user"}
"""
STEPS = """
import sys

import apache_beam as beam
import schemas
from groundwatch import CheckGrounding, Deduplicate, Message, ParseAnswers, RouteAnswers, TagAnswers
from apache_beam.options.pipeline_options import PipelineOptions

FACT = "Lamps glow blue."


def name_verdict(record):
    return f"{schemas.OWNER} {record.verdict}"


def main():
    options = PipelineOptions(sys.argv[2:], save_main_session=True)
    lines = [f'{{"answer": "{text}", "facts": ["{FACT}"]}}' for text in (FACT, "Kettles vote.")]
    with beam.Pipeline("FnApiRunner", options=options) as pipeline:
        messages = (
            pipeline
            | beam.Create(lines)
            | beam.Reshuffle()
            | beam.Map(lambda line: Message(payload=line.encode(), place=line))
        )
        parsed = messages | ParseAnswers()
        checked = parsed.answers | Deduplicate() | RouteAnswers() | CheckGrounding()
        records = checked.checked | TagAnswers()
        records | beam.Map(name_verdict) | beam.io.WriteToText(sys.argv[1], num_shards=1)


if __name__ == "__main__":
    main()
"""
TEST = """
import schemas
from groundwatch import check
from tests import OWNER


def test_the_answer_is_grounded():
    assert check("Lamps glow.", ["Lamps glow."]).verdict == "GROUNDED"
    assert OWNER == schemas.OWNER == "user"
"""
TYPED = """
import schemas
from groundwatch import check

reveal_type(schemas.OWNER)
reveal_type(check("Lamps glow.", ["Lamps glow."]).support_score)
check("Lamps glow.", 3)
"""


@pytest.fixture(scope="module", params=["wheel", "clone"])
def environment(
    request: pytest.FixtureRequest,
    source: Path,
    wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Environment:
    """An environment in which groundwatch is installed, and nothing of this repository."""
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.install(*([wheel] if request.param == "wheel" else ["--editable", source]))
    return made


_IN_ONE = pytest.mark.parametrize("environment", ["wheel"], indirect=True)
"""What does not depend on how it was installed, and takes long."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a module, and packages, of all the names of our folders."""
    (tmp_path / "schemas.py").write_text(OWN)
    for name in set(NAMES) - {"schemas"}:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(OWN)
    return tmp_path


def succeeded(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_imported_beside_them(environment: Environment, project: Path) -> None:
    succeeded(environment.run(project, "-c", CHECK))


@pytest.mark.parametrize("program", ["groundwatch", "-m groundwatch"])
def test_the_command_runs(environment: Environment, project: Path, program: str) -> None:
    script = environment.python.with_name("groundwatch")
    start = [str(script)] if program == "groundwatch" else program.split()
    check = ("check", "--answer", "Lamps glow.", "--fact", "Lamps glow.", "--json")
    record = json.loads(succeeded(environment.run(project, *start, *check)))
    assert record["verdict"] == "GROUNDED"


@_IN_ONE
def test_the_demo_runs_with_an_empty_home(
    environment: Environment, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    succeeded(environment.run(project, "-m", "groundwatch", "demo"))
    assert (project / "out" / "demo" / "summary.json").is_file()
    assert not list(home.iterdir())


@_IN_ONE
@pytest.mark.parametrize(
    ("pickler", "mode"),
    # Beam 2.77 does not pass the pickle library on to the processes that this runner starts.
    [("cloudpickle", "multi_processing"), ("dill", "multi_threading")],
)
def test_a_pipeline_of_the_user_runs(
    environment: Environment, project: Path, pickler: str, mode: str
) -> None:
    (project / "steps.py").write_text(STEPS)
    options = ("--direct_num_workers=1", f"--direct_running_mode={mode}")
    succeeded(
        environment.run(project, "steps.py", "verdicts", *options, f"--pickle_library={pickler}")
    )
    [verdicts] = project.glob("verdicts-*")
    assert sorted(verdicts.read_text().splitlines()) == ["user GROUNDED", "user LOW_GROUNDED"]


@_IN_ONE
def test_the_tests_of_the_project_run(environment: Environment, project: Path) -> None:
    (project / "tests" / "test_answers.py").write_text(TEST)
    assert "1 passed" in succeeded(environment.run(project, "-m", "pytest", "-q"))


@_IN_ONE
def test_mypy_reads_its_types(environment: Environment, project: Path) -> None:
    (project / "app.py").write_text(TYPED)
    # Beam takes mypy longer than all else, and none of these types is of Beam.
    (project / "mypy.ini").write_text("[mypy]\n[mypy-apache_beam.*]\nfollow_imports = skip\n")
    printed = environment.run(project, "-m", "mypy", "--strict", "app.py").stdout
    assert 'Revealed type is "str"' in printed, printed
    assert 'Revealed type is "float | None"' in printed
    assert 'Argument 2 to "check" has incompatible type "int"' in printed
    assert "Found 1 error in 1 file" in printed


def test_another_package_and_ours_survive_each_others_removal(wheel: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    other = tmp_path / "another"
    (other / "pipeline").mkdir(parents=True)
    (other / "pipeline" / "__init__.py").write_text(OWN)
    shutil.copy(other / "pipeline" / "__init__.py", other / "schemas.py")
    (other / "pyproject.toml").write_text(
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
        "[project]\nname = 'another'\nversion = '1'\n"
        "[tool.setuptools]\npackages = ['pipeline']\npy-modules = ['schemas']\n"
    )
    uses = {
        "groundwatch": "from groundwatch import check; check('Lamps glow.', ['Lamps glow.'])",
        "another": "import pipeline, schemas; assert pipeline.OWNER == schemas.OWNER == 'user'",
    }
    environment.install(other)
    for first, left in (("groundwatch", "another"), ("another", "groundwatch")):
        environment.install(wheel)
        for use in uses.values():
            succeeded(environment.run(tmp_path, "-c", use))
        environment.pip("uninstall", "--yes", first)
        succeeded(environment.run(tmp_path, "-c", uses[left]))
        assert environment.run(tmp_path, "-c", uses[first]).returncode == 1
