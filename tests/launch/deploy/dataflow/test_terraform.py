"""The infrastructure as code: that it can be read, says no more than it may, and fits the rest.

The arguments of the resources are compared with those of the provider google-beta 6.50.0
(tests/data/terraform), since neither the provider nor a project is at hand.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from google.cloud.dataflow_v1beta3 import ContainerSpec

from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.runtime import counters
from tests.support import templates
from tests.support.optional_tools import TERRAFORM
from tests.support.terraform import Json, Resource, load, misaligned, name_of, problems, resources

FOLDER = templates.FOLDER / "terraform"
IMAGE = f"h/i@sha256:{'0' * 64}"
BLOCKS = load(FOLDER)
RESOURCES = list(resources(BLOCKS))
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.tf")))


@pytest.mark.parametrize("resource", RESOURCES, ids=name_of)
def test_the_provider_knows_every_argument_and_misses_none(resource: Resource) -> None:
    assert list(problems(resource)) == []


def test_whatever_is_referred_to_is_there_and_whatever_is_a_variable_is_used() -> None:
    variables = {name for block in BLOCKS["variable"] for name in block}
    local = {name for block in BLOCKS["locals"] for name in block}
    assert set(re.findall(r"\bvar\.(\w+)", TEXT)) == variables
    assert set(re.findall(r"\blocal\.(\w+)", TEXT)) == local
    referred = set(re.findall(r"\b(google_\w+\.\w+)(?=[.\[,\s])", TEXT))
    assert referred <= {name_of(resource) for resource in RESOURCES}


def test_every_variable_and_output_says_what_it_is() -> None:
    for kind in ("variable", "output"):
        for block in BLOCKS[kind]:
            assert all(body["description"].endswith(".") for body in block.values())


def test_the_files_are_formatted() -> None:
    if TERRAFORM:
        command = [TERRAFORM, "fmt", "-check", "-recursive", str(FOLDER)]
        done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - looked up
        assert done.returncode == 0
    for path in FOLDER.glob("*.tf"):
        assert list(misaligned(path.read_text(encoding="utf-8").splitlines())) == []


@pytest.mark.parametrize(
    "lines",
    [["  a = 1", "  bb = 2"], ["   a = 1"], ["  a = 1 "], ["\ta = 1"]],
    ids=["equals signs", "an odd indent", "a blank at the end", "a tab"],
)
def test_lines_that_are_not_formatted_are_found(lines: list[str]) -> None:
    assert list(misaligned(lines))


def of_kind(kind: str) -> list[Resource]:
    return [resource for resource in RESOURCES if resource.kind == kind]


def test_the_worker_has_the_roles_it_needs_and_no_more() -> None:
    granted = set(re.findall(r'"(roles/[\w.]+)"', TEXT))
    assert granted == {
        "roles/dataflow.worker",
        "roles/pubsub.subscriber",
        "roles/pubsub.viewer",
        "roles/pubsub.publisher",
        "roles/storage.objectUser",
        "roles/artifactregistry.reader",
        # Of whoever starts jobs.
        "roles/compute.viewer",
        "roles/dataflow.developer",
        "roles/storage.objectAdmin",
        "roles/iam.serviceAccountUser",
    }
    [checker] = of_kind("google_project_iam_custom_role")
    assert checker.arguments["permissions"] == ["discoveryengine.groundingConfigs.check"]


def test_whole_projects_are_opened_for_nothing_that_one_resource_would_do_for() -> None:
    [worker, launcher] = of_kind("google_project_iam_member")
    assert "pubsub" not in str(worker) + str(launcher)
    assert "storage" not in str(worker) + str(launcher)


@pytest.mark.parametrize("resource", RESOURCES, ids=name_of)
def test_the_keys_of_what_is_repeated_are_known_before_anything_is_made(resource: Resource) -> None:
    repeated = str(resource.arguments.get("for_each", ""))
    assert not re.search(r"toset\([^)]*google_", repeated)


def test_nothing_is_public() -> None:
    for bucket in of_kind("google_storage_bucket"):
        assert bucket.arguments["uniform_bucket_level_access"] is True
        assert bucket.arguments["public_access_prevention"] == "enforced"
    assert not re.search(r"allUsers|allAuthenticatedUsers", TEXT)


def test_the_subscription_keeps_to_what_dataflow_supports() -> None:
    [answers] = [r for r in of_kind("google_pubsub_subscription") if r.name == "answers"]
    assert not {"dead_letter_policy", "retry_policy", "filter"} & set(answers.arguments)
    # A job that is cancelled or fails loses what it has acknowledged: it is read again by a seek.
    assert answers.arguments["retain_acked_messages"] == "${var.retain_acked_messages}"


def test_the_jobs_parameters_are_the_templates() -> None:
    [job] = of_kind("google_dataflow_flex_template_job")
    assert job.arguments["on_delete"] == "drain"
    parameters = TEXT[TEXT.index("parameters = merge(") : TEXT.index("    var.parameters,")]
    given = set(re.findall(r"^      (\w+) += ", parameters, re.MULTILINE))
    known = {entry["name"]: entry for entry in templates.all_metadata()["watch"]["parameters"]}
    assert given >= {name for name, entry in known.items() if not entry["isOptional"]}
    named = {"subscription", "output", "alert_topic", "failure_topic", "run_id", "checker"}
    assert named <= given & set(known)
    assert given & set(known) >= {"workers", "sdk_container_image"}


def test_a_second_apply_neither_replaces_nor_updates_the_job() -> None:
    [job] = of_kind("google_dataflow_flex_template_job")
    [lifecycle] = job.arguments["lifecycle"]
    ignored = {str(name).strip("${}") for name in lifecycle["ignore_changes"]}
    # What the provider reads from a job's options by their names in Java
    # (google-beta/services/dataflow/resource_dataflow_flex_template_job.go).
    assert ignored == {
        "machine_type",
        "max_workers",
        "network",
        "num_workers",
        "sdk_container_image",
        "staging_location",
        "subnetwork",
        "temp_location",
    }
    # An update would send the value that was read back, and so none.
    assert not ignored & set(job.arguments)


def evaluate(folder: Path, expression: str, **variables: object) -> Any:
    """Let Terraform evaluate what needs no provider, or skip the test."""
    if not TERRAFORM:
        pytest.skip("no terraform")
    (folder / "terraform").mkdir(exist_ok=True)
    for name in ("variables.tf", "template.tf"):
        shutil.copy(FOLDER / name, folder / "terraform")
    shutil.copy(FOLDER.parent / "watch.json", folder)
    settings = {
        "project": "p",
        "region": "r",
        "image": IMAGE,
        "image_repository": {"location": "r", "id": "i"},
        **variables,
    }
    (folder / "terraform" / "terraform.tfvars.json").write_text(json.dumps(settings))
    done = subprocess.run(  # noqa: S603 - looked up
        [TERRAFORM, "console"],
        cwd=folder / "terraform",
        input=f"jsonencode({expression})",
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(json.loads(done.stdout))


def test_terraform_writes_the_template_that_build_writes(tmp_path: Path) -> None:
    machines = {"num_workers": 2, "min_num_workers": 3, "max_workers": 9, "experiments": ["x"]}
    template = json.loads(
        evaluate(tmp_path, "local.template", subnetwork="regions/r/subnetworks/s", **machines)
    )
    spec = ContainerSpec.from_json(json.dumps(template), ignore_unknown_fields=False)
    environment = spec.default_environment
    assert environment.num_workers == 3, "a job that may not have fewer cannot start with fewer"
    assert environment.max_workers == 9
    assert environment.additional_experiments == ["min_num_workers=3", "x"]
    assert environment.subnetwork == "regions/r/subnetworks/s"
    assert environment.temp_location == "gs://p-groundwatch-temp/temp"
    del template["defaultEnvironment"]
    built = templates.template_of(templates.all_metadata()["watch"], IMAGE)
    del built["defaultEnvironment"]
    assert template == built


@pytest.mark.parametrize(
    "changed", [{}, {"image": f"h/i@sha256:{'1' * 64}"}, {"max_workers": 11}], ids=str
)
def test_the_path_of_the_template_changes_with_its_content(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    before, after = (
        evaluate(tmp_path, "local.template_path", **variables) for variables in ({}, changed)
    )
    assert (before != after) == bool(changed)


def test_alerts_ask_for_counters_that_there_are() -> None:
    written = {f"written_{kind}" for kind in ("enriched", "alerts", "failures")}
    own = {value.name for value in vars(counters).values() if isinstance(value, counters.Counter)}
    known = own | written | {counter.name for counter in counters.VERDICTS.values()}
    asked = set(re.findall(r"\b(?:messages_read|written_\w+|verdict_\w+|\w+_failed)\b", TEXT))
    assert asked - {"job_failed", "is_failed"} <= known | {"written_", "verdict_"}


def test_the_ledger_adds_up_every_end_that_a_message_has() -> None:
    ended = re.search(r'ended\s+= "(.*)"', TEXT)
    assert ended
    ends = {
        counter.name
        for counter in (
            *counters.VERDICTS.values(),
            counters.PARSE_FAILED,
            counters.CHECKS_FAILED,
            counters.DUPLICATES_SEEN,
            counters.SAMPLED_OUT,
        )
    }
    assert all(re.fullmatch(ended[1], name) for name in ends)
    assert len(ends) == len(Verdict) + 4
    assert not re.fullmatch(ended[1], counters.MESSAGES_READ.name)


def policies() -> dict[str, Any]:
    """Every alert policy by a word for it."""
    single = {resource.name for resource in of_kind("google_monitoring_alert_policy")}
    local: Json = {name: value for block in BLOCKS["locals"] for name, value in block.items()}
    return {**local["thresholds"], **local["queries"], "refused": single}


def test_an_operator_is_alerted_to_all_that_matters() -> None:
    assert set(policies()) == {
        "oldest_unacked",
        "watermark_age",
        "refused",
        "forbidden",
        "no_writes",
        "ledger_gap",
        "job_failed",
    }


@pytest.mark.parametrize("name", sorted(set(policies()) - {"refused"}))
def test_every_policy_says_what_to_do(name: str) -> None:
    assert len(policies()[name]["advice"]) > 80


def test_advice_in_an_outage_says_that_the_job_holds_the_backlog() -> None:
    advice = {name: policies()[name]["advice"] for name in set(policies()) - {"refused"}}
    assert "An outage of the checker does not show here" in advice["oldest_unacked"]
    assert "Do not cancel the job: it would lose what it holds" in advice["watermark_age"]
    assert "seek the subscription" in advice["job_failed"]
