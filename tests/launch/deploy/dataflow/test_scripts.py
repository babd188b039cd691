"""The scripts around gcloud: linted, and what they ask it for."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import templates
from tests.support.tools import tool

FOLDER = templates.FOLDER
SCRIPTS = ("build", "drain", "run", "update")
_TIMEOUT_S = 60.0
WATCH = "gs://example-templates/watch.json"

GCLOUD = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
  *"jobs list"*) echo "${JOB_ID-}" ;;
  *"jobs describe"*) head -n 1 "$STATES"; sed -i 1d "$STATES" ;;
esac
"""
"""Writes down what it is asked, and knows of one job."""

DOCKER = """#!/usr/bin/env bash
case "$1" in
  inspect) printf '%s\\n' "elsewhere/i@sha256:0" "here/i@sha256:0123456789abcdef" ;;
esac
"""
"""Knows of one image, in two repositories."""


@pytest.fixture
def gcloud(tmp_path: Path) -> dict[str, str]:
    """An environment in which gcloud does nothing."""
    program = tmp_path / "gcloud"
    program.write_text(GCLOUD, encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "states").write_text("JOB_STATE_DRAINING\nJOB_STATE_DRAINED\n", encoding="utf-8")
    return {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "STATES": str(tmp_path / "states"),
        "POLL_S": "0",
        "SERVICE_ACCOUNT": "worker@example-project.iam.gserviceaccount.com",
        "TEMP_LOCATION": "gs://example-temp/dataflow",
    }


def start(name: str, *arguments: str, env: dict[str, str]) -> tuple[int, str]:
    """Run a script; returns its status and what it said was wrong."""
    command = [str(FOLDER / name), *arguments]
    done = subprocess.run(  # noqa: S603 - ours
        command, env=env, check=False, capture_output=True, text=True, timeout=_TIMEOUT_S
    )
    return done.returncode, done.stderr


def asked(env: dict[str, str]) -> list[str]:
    return Path(env["CALLS"]).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_linter_finds_nothing(name: str) -> None:
    command = [tool("shellcheck"), str(FOLDER / name)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    assert (done.returncode, done.stdout) == (0, "")
    assert os.access(FOLDER / name, os.X_OK)


def test_a_job_is_started_with_its_parameters_and_the_processes_that_share_a_quota(
    gcloud: dict[str, str],
) -> None:
    gcloud |= {"MAX_WORKERS": "3", "MACHINE_TYPE": "n2-standard-4"}
    status, _ = start("run", "job", WATCH, "europe-west1", "sample=0.1 a,b=1", env=gcloud)
    [command] = asked(gcloud)
    assert status == 0
    assert command.startswith(
        f"dataflow flex-template run job --template-file-gcs-location={WATCH}"
    )
    assert "--parameters=^;;^workers=12" in command
    assert "--parameters=^;;^sample=0.1 a,b=1" in command
    assert "--max-workers=3 --worker-machine-type=n2-standard-4" in command
    assert "--enable-streaming-engine" in command
    assert "--disable-public-ips" not in command


@pytest.mark.parametrize(
    ("machine", "given", "workers"),
    [
        ("n2-standard-4", [], "40"),
        ("n2-custom-2-8192", [], "20"),
        ("custom-8-30720-ext", [], "80"),
        ("c3-standard-8-lssd", [], "80"),
        ("e2-medium", ["workers=10"], "10"),
        ("n2-standard-4", ["workers=10"], "10"),
    ],
)
def test_the_processes_that_share_a_quota_are_counted_by_vcpus_or_reported(
    gcloud: dict[str, str], machine: str, given: list[str], workers: str
) -> None:
    start("run", "job", WATCH, "r", "a=b", *given, env=gcloud | {"MACHINE_TYPE": machine})
    [command] = asked(gcloud)
    assert re.findall(r"\^workers=(\d+)", command) == [workers]


def test_a_machine_that_does_not_name_its_vcpus_is_refused(gcloud: dict[str, str]) -> None:
    status, errors = start("run", "job", WATCH, "r", env=gcloud | {"MACHINE_TYPE": "e2-medium"})
    assert status == 2
    assert errors == "run: MACHINE_TYPE e2-medium does not name its vCPUs: say workers=N, too\n"


def test_in_a_subnetwork_machines_have_no_public_address(gcloud: dict[str, str]) -> None:
    gcloud |= {"SUBNETWORK": "regions/r/subnetworks/s"}
    start("run", "job", "gs://example-templates/backfill.json", "r", env=gcloud)
    [command] = asked(gcloud)
    assert "--subnetwork=regions/r/subnetworks/s --disable-public-ips" in command
    assert "--enable-streaming-engine" not in command


def test_an_update_is_a_run_that_replaces_the_job(gcloud: dict[str, str]) -> None:
    assert start("update", "job", WATCH, "r", "subscription=s", env=gcloud)[0] == 0
    [command] = asked(gcloud)
    assert " --update " in command


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ({}, []),
        ({"NUM_WORKERS": "3"}, ["num-workers=3"]),
        ({"MIN_WORKERS": "2"}, ["additional-experiments=min_num_workers=2", "num-workers=2"]),
        (
            {"MIN_WORKERS": "2", "NUM_WORKERS": "4", "EXPERIMENTS": "a,b=1"},
            ["additional-experiments=min_num_workers=2,a,b=1", "num-workers=4"],
        ),
        ({"TRANSFORM_NAMES": "Old=New"}, ["transform-name-mappings=Old=New"]),
    ],
    ids=str,
)
def test_machines_service_options_and_step_names_can_be_set(
    gcloud: dict[str, str], given: dict[str, str], flags: list[str]
) -> None:
    start("run", "job", WATCH, "r", env=gcloud | given)
    [command] = asked(gcloud)
    options = r"--((?:additional-experiments|num-workers|transform-name-mappings)=\S+)"
    assert re.findall(options, command) == flags


@pytest.mark.parametrize("missing", ["SERVICE_ACCOUNT", "TEMP_LOCATION"])
def test_what_is_missing_is_reported_before_anything_is_asked(
    gcloud: dict[str, str], missing: str
) -> None:
    del gcloud[missing]
    status, errors = start("run", "job", WATCH, "r", env=gcloud)
    assert status != 0
    assert missing in errors
    assert not Path(gcloud["CALLS"]).exists()


@pytest.mark.parametrize("name", SCRIPTS)
def test_without_arguments_a_script_says_how_it_is_used(name: str, gcloud: dict[str, str]) -> None:
    status, errors = start(name, env=gcloud)
    assert status != 0
    assert f"usage: launch/deploy/dataflow/{'run' if name == 'update' else name} " in errors


def test_templates_name_the_image_by_its_digest_in_its_own_repository(
    gcloud: dict[str, str], tmp_path: Path
) -> None:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER, encoding="utf-8")
    docker.chmod(0o755)
    (tmp_path / "gcloud").write_text(GCLOUD + 'cp "$3" "$4" "$(dirname "$0")"\n', encoding="utf-8")
    gcloud |= {"PYTHON": sys.executable}
    assert start("build", "here/i", "gs://example-templates/", env=gcloud)[0] == 0
    [copied] = asked(gcloud)
    assert copied.endswith("/watch.json gs://example-templates/0123456789ab/")
    for name in ("watch", "backfill"):
        template = json.loads((tmp_path / f"{name}.json").read_bytes())
        assert template["image"] == "here/i@sha256:0123456789abcdef"


def test_draining_waits_for_the_end(gcloud: dict[str, str]) -> None:
    assert start("drain", "job", "r", env=gcloud | {"JOB_ID": "id-1"}) == (0, "")
    assert [line.split(" --")[0] for line in asked(gcloud)] == [
        "dataflow jobs list",
        "dataflow jobs drain id-1",
        "dataflow jobs describe id-1",
        "dataflow jobs describe id-1",
    ]


@pytest.mark.parametrize("end", ["FAILED", "CANCELLED", "UPDATED", "DONE"])
def test_draining_a_job_that_ends_otherwise_meanwhile_fails(
    gcloud: dict[str, str], end: str
) -> None:
    Path(gcloud["STATES"]).write_text(f"JOB_STATE_{end}\n", encoding="utf-8")
    assert start("drain", "job", "r", env=gcloud | {"JOB_ID": "id-1"})[0] == 1


def test_draining_what_does_not_run_is_reported(gcloud: dict[str, str]) -> None:
    status, errors = start("drain", "job", "r", env=gcloud)
    assert (status, errors) == (1, "drain: no job job is active in r\n")
