"""What holds for each Terraform module: Terraform accepts it, and the provider its arguments.

The arguments are also compared with those of the provider google-beta 6.50.0
(tests/data/terraform), because many machines cannot download the provider.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.optional_tools import TERRAFORM
from tests.support.repository import ROOT
from tests.support.terraform import SCHEMA, load, name_of, problems, resources

DEPLOY = ROOT / "launch" / "deploy"
UNREACHABLE = re.compile(r"could\s+not\s+connect\s+to|Failed to install provider")
each_module = pytest.mark.parametrize("name", ["dataflow/terraform", "bigquery"])
needs_terraform = pytest.mark.skipif(not TERRAFORM, reason="no terraform")


def terraform(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Terraform in a folder."""
    command = [str(TERRAFORM), f"-chdir={folder}", *arguments, "-no-color"]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - looked up


@needs_terraform
def test_the_files_are_formatted() -> None:
    done = terraform(DEPLOY, "fmt", "-check", "-diff", "-recursive")
    assert (done.returncode, done.stdout) == (0, "")


@needs_terraform
@each_module
def test_terraform_accepts_it(name: str, tmp_path: Path) -> None:
    for read in ("launch/deploy", "schemas/avro"):
        shutil.copytree(ROOT / read, tmp_path / read)
    folder = tmp_path / "launch" / "deploy" / name
    # It judges the syntax and the blocks before it looks for providers.
    done = terraform(folder, "init", "-backend=false", "-input=false")
    if UNREACHABLE.search(done.stderr):
        pytest.skip("terraform validate needs Google's providers, which cannot be downloaded here")
    assert done.returncode == 0, done.stderr
    done = terraform(folder, "validate")
    assert done.returncode == 0, done.stderr


@each_module
def test_the_provider_knows_every_argument_and_misses_none(name: str) -> None:
    for resource in resources(load(DEPLOY / name)):
        found = problems(resource.arguments, SCHEMA[resource.kind], name_of(resource))
        assert list(found) == []


@each_module
def test_whatever_is_referred_to_is_there_and_whatever_is_a_variable_is_used(name: str) -> None:
    blocks, folder = load(DEPLOY / name), DEPLOY / name
    text = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.tf"))
    for kind, word in {"variable": "var", "locals": "local"}.items():
        declared = {each for block in blocks[kind] for each in block}
        assert set(re.findall(rf"\b{word}\.(\w+)", text)) == declared
    referred = set(re.findall(r"(?<!data\.)\b(google_\w+\.\w+)(?=[.\[,\s\]])", text))
    assert referred <= {name_of(resource) for resource in resources(blocks)}
    read = re.findall(r"\$\{path\.module\}/([^\"]+)\"", text)
    assert read
    assert all((folder / path).is_file() for path in read)


@each_module
def test_every_variable_and_output_says_what_it_is(name: str) -> None:
    blocks = load(DEPLOY / name)
    for block in (*blocks["variable"], *blocks["output"]):
        assert all(body["description"].endswith(".") for body in block.values())
