"""The resources for Kubernetes: what must fit together."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.pipeline.settings.load import load
from tests.support.optional_tools import KUBECTL, PROMTOOL
from tests.support.prometheus import parse_queries
from tests.support.repository import ROOT

FOLDER = ROOT / "launch" / "deploy" / "container" / "kubernetes"
APP = {"app.kubernetes.io/name": "groundwatch"}
Json = dict[str, Any]


def read(name: str) -> list[Json]:
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


KUSTOMIZATION = read("kustomization.yaml")[0]
RESOURCES: dict[str, Json] = {
    each["kind"]: each for name in KUSTOMIZATION["resources"] for each in read(name)
}
STATEFUL_SET = RESOURCES["StatefulSet"]["spec"]
POD = STATEFUL_SET["template"]["spec"]
[WORKER] = POD["containers"]


@pytest.fixture
def settings() -> WatchSettings:
    """The workers' settings, as the file and the arguments give them."""
    [name] = KUSTOMIZATION["configMapGenerator"][0]["files"]
    command, _ = WORKER["args"]
    loaded = load(WatchSettings, [f"--config={FOLDER / name}"], {})
    assert (command, loaded.problems) == ("watch", [])
    return loaded.settings


def test_every_file_is_a_resource_or_named_by_the_kustomization() -> None:
    [generator] = KUSTOMIZATION["configMapGenerator"]
    named = {"kustomization.yaml", *KUSTOMIZATION["resources"], *generator["files"]}
    assert {path.name for path in FOLDER.iterdir()} == named


def test_every_selector_finds_the_pods() -> None:
    assert STATEFUL_SET["template"]["metadata"]["labels"] == APP
    assert STATEFUL_SET["selector"]["matchLabels"] == APP
    assert RESOURCES["Service"]["spec"]["selector"] == APP
    assert RESOURCES["Service"]["metadata"]["name"] == STATEFUL_SET["serviceName"]
    for kind in ("PodDisruptionBudget", "PodMonitor"):
        assert RESOURCES[kind]["spec"]["selector"]["matchLabels"] == APP
    scaled = RESOURCES["ScaledObject"]["spec"]["scaleTargetRef"]
    found = RESOURCES[scaled["kind"]]
    assert (found["apiVersion"], found["metadata"]["name"]) == (
        scaled["apiVersion"],
        scaled["name"],
    )
    assert "replicas" not in STATEFUL_SET, "it would undo what the autoscaler did"


def test_the_journal_outlives_its_pod(settings: WatchSettings) -> None:
    [claim] = STATEFUL_SET["volumeClaimTemplates"]
    [path] = [
        mount["mountPath"]
        for mount in WORKER["volumeMounts"]
        if mount["name"] == claim["metadata"]["name"]
    ]
    assert str(settings.job.local.work_folder).startswith(f"{path}/")
    kept = {"whenDeleted": "Retain", "whenScaled": "Retain"}
    assert STATEFUL_SET["persistentVolumeClaimRetentionPolicy"] == kept


def test_the_commands_of_the_runbook_take_their_flags_and_the_workers_settings() -> None:
    runbook = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    lines = re.sub(r" \\\n +", " ", runbook)
    commands = re.findall(r"-- groundwatch (\w+) ([^`<\n]+)", lines)
    assert {name for name, _ in commands} == {"backfill", "verify"}
    for name, arguments in commands:
        given = arguments.replace("/etc/groundwatch", str(FOLDER)).split()
        assert all_commands()[name].load(given).problems == []


def test_a_worker_has_time_to_drain(settings: WatchSettings) -> None:
    assert POD["terminationGracePeriodSeconds"] > settings.worker.drain_s


def test_a_worker_is_restarted_only_when_that_helps(settings: WatchSettings) -> None:
    [port] = WORKER["ports"]
    assert settings.worker.health_address == ("0.0.0.0", port["containerPort"])  # noqa: S104
    probes = {kind: WORKER[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")}
    paths = {kind: probe["httpGet"]["path"] for kind, probe in probes.items()}
    assert paths == {"startup": "/livez", "liveness": "/livez", "readiness": "/healthz"}
    assert {probe["httpGet"]["port"] for probe in probes.values()} == {port["name"]}
    [endpoint] = RESOURCES["PodMonitor"]["spec"]["podMetricsEndpoints"]
    assert endpoint["port"] == port["name"]
    # After /livez fails, five minutes more.
    liveness = probes["liveness"]
    assert liveness["periodSeconds"] * liveness["failureThreshold"] >= 300


def test_a_pod_may_do_nothing_that_it_need_not() -> None:
    assert POD["securityContext"]["runAsNonRoot"]
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    dockerfile = (FOLDER.parent / "Dockerfile").read_text(encoding="utf-8")
    assert f"USER {POD['securityContext']['runAsUser']}:" in dockerfile
    assert WORKER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert POD["automountServiceAccountToken"] is False
    assert POD["serviceAccountName"] == RESOURCES["ServiceAccount"]["metadata"]["name"]


def test_the_autoscaler_looks_at_the_workers_subscription(settings: WatchSettings) -> None:
    spec = RESOURCES["ScaledObject"]["spec"]
    [trigger] = spec["triggers"]
    name = settings.source.subscription.rpartition("/")[2]
    assert f'subscription_id="{name}"' in trigger["metadata"]["query"]
    authentication = RESOURCES["TriggerAuthentication"]["metadata"]["name"]
    assert trigger["authenticationRef"]["name"] == authentication
    assert spec["minReplicaCount"] < spec["maxReplicaCount"]


@pytest.mark.skipif(not PROMTOOL, reason="no promtool")
def test_the_autoscaler_asks_in_promql(tmp_path: Path) -> None:
    [trigger] = RESOURCES["ScaledObject"]["spec"]["triggers"]
    parse_queries([trigger["metadata"]["query"]], tmp_path)


@pytest.mark.skipif(not KUBECTL, reason="no kubectl")
def test_kustomize_renders_the_resources_and_the_settings() -> None:
    command = [str(KUBECTL), "kustomize", str(FOLDER)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - ours
    rendered = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
    assert rendered.keys() == RESOURCES.keys() | {"ConfigMap"}
    mounted = rendered["StatefulSet"]["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]
    assert mounted == rendered["ConfigMap"]["metadata"]["name"] != "groundwatch"
