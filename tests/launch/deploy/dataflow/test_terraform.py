"""The infrastructure as code: it permits no more than it must, and fits the rest."""

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
from tests.support.optional_tools import PROMTOOL, TERRAFORM
from tests.support.prometheus import parse_queries
from tests.support.terraform import Resource, load, resources

FOLDER = templates.FOLDER / "terraform"
IMAGE = f"h/i@sha256:{'0' * 64}"
BLOCKS = load(FOLDER)
RESOURCES = list(resources(BLOCKS))
LOCALS = {name: value for block in BLOCKS["locals"] for name, value in block.items()}
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.tf")))


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
    # Of a whole project only what cannot be granted for one resource.
    assert not re.search("pubsub|storage", str(of_kind("google_project_iam_member")))


def test_the_keys_of_what_is_repeated_are_known_before_anything_is_made() -> None:
    repeated = [str(resource.arguments.get("for_each", "")) for resource in RESOURCES]
    assert not re.search(r"toset\([^)]*google_", "\n".join(repeated))


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
    required = {name for name, entry in known.items() if not entry["isOptional"]}
    needed = {"alert_topic", "failure_topic", "run_id", "checker", "workers", "sdk_container_image"}
    assert required | needed <= given <= known.keys()


def test_a_second_apply_neither_replaces_nor_updates_the_job() -> None:
    [job] = of_kind("google_dataflow_flex_template_job")
    [lifecycle] = job.arguments["lifecycle"]
    ignored = {str(name).strip("${}") for name in lifecycle["ignore_changes"]}
    # What the provider reads from a job's options by their names in Java
    # (google-beta/services/dataflow/resource_dataflow_flex_template_job.go).
    assert " ".join(sorted(ignored)) == (
        "machine_type max_workers network num_workers sdk_container_image staging_location"
        " subnetwork temp_location"
    )
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
    repository = {"location": "r", "id": "i"}
    settings = {"project": "p", "region": "r", "image": IMAGE, "image_repository": repository}
    (folder / "terraform" / "terraform.tfvars.json").write_text(json.dumps(settings | variables))
    command = [TERRAFORM, f"-chdir={folder / 'terraform'}", "console"]
    asked = f"jsonencode({expression})"
    done = subprocess.run(command, input=asked, check=True, capture_output=True, text=True)  # noqa: S603 - looked up
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


@pytest.mark.skipif(not PROMTOOL, reason="no promtool")
def test_alerts_and_charts_ask_in_promql(tmp_path: Path) -> None:
    queries = [*LOCALS["charts"].values(), *(each["query"] for each in LOCALS["queries"].values())]
    named = [re.sub(r"\$\{local\.(\w+)\}", lambda it: LOCALS[it[1]], each) for each in queries]
    parse_queries([re.sub(r"\$\{[^}]+\}", "1", each) for each in named], tmp_path)


def test_alerts_ask_for_counters_that_there_are() -> None:
    written = {f"written_{kind}" for kind in ("enriched", "alerts", "failures")}
    own = {value.name for value in vars(counters).values() if isinstance(value, counters.Counter)}
    known = own | written | {counter.name for counter in counters.VERDICTS.values()}
    asked = set(re.findall(r"\b(?:messages_read|written_\w+|verdict_\w+|\w+_failed)\b", TEXT))
    assert asked - {"job_failed", "is_failed"} <= known | {"written_", "verdict_"}


def test_the_ledger_adds_up_every_end_that_a_message_has() -> None:
    failed = (counters.PARSE_FAILED, counters.CHECKS_FAILED)
    skipped = (counters.DUPLICATES_SEEN, counters.SAMPLED_OUT)
    ends = {each.name for each in (*counters.VERDICTS.values(), *failed, *skipped)}
    assert all(re.fullmatch(LOCALS["ended"], name) for name in ends)
    assert len(ends) == len(Verdict) + 4
    assert not re.fullmatch(LOCALS["ended"], counters.MESSAGES_READ.name)


def test_an_operator_is_alerted_to_all_that_matters_and_told_what_to_do() -> None:
    policies = {resource.name for resource in of_kind("google_monitoring_alert_policy")}
    assert policies == {"threshold", "query", "refused"}
    named = {**LOCALS["thresholds"], **LOCALS["queries"]}
    advice = {name: policy["advice"] for name, policy in named.items()}
    alerted = "forbidden job_failed ledger_gap no_writes oldest_unacked watermark_age"
    assert " ".join(sorted(advice)) == alerted
    assert "An outage of the checker does not show here" in advice["oldest_unacked"]
    assert "Do not cancel the job: it would lose what it holds" in advice["watermark_age"]
    assert "seek the subscription" in advice["job_failed"]
