"""All manifests of Kubernetes: its schemas accept them, and they name what a user replaces."""

import re
from typing import Any

import pytest
import yaml
from kubernetes_validate import validate

from tests.support.repository import ROOT

DEPLOY = ROOT / "launch" / "deploy"
Json = dict[str, Any]
MANIFESTS: list[Json] = [
    each
    for path in sorted(DEPLOY.rglob("*.yaml"))
    for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    if "kind" in each
]
# Extensions of Kubernetes, and kustomize, have schemas of their own.
OTHERS = {"FlinkDeployment", "Kustomization", "PodMonitor", "ScaledObject", "TriggerAuthentication"}
PODS_OF_FLINK = [
    {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "template": each["spec"]["taskManager"]["podTemplate"],
    }
    for each in MANIFESTS
    if each["kind"] == "FlinkDeployment"
]


@pytest.mark.parametrize("version", ["1.29", "1.37"])
@pytest.mark.parametrize(
    "manifest",
    [*(each for each in MANIFESTS if each["kind"] not in OTHERS), *PODS_OF_FLINK],
    ids=lambda it: it["kind"],
)
def test_the_schema_of_kubernetes_accepts_it(manifest: Json, version: str) -> None:
    validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("container/kubernetes", {"BUCKET", "PROJECT", "REGION"}),
        ("flink", {"BUCKET", "EXTERNAL", "PROJECT", "REGION"}),
    ],
)
def test_what_a_user_replaces_is_named_in_capitals(folder: str, names: set[str]) -> None:
    text = "".join(path.read_text("utf-8") for path in (DEPLOY / folder).glob("*.yaml"))
    assert set(re.findall(r"\b[A-Z]{6,}\b", text)) == names
