"""The resources of Flink on Kubernetes: what must fit together."""

from typing import Any

import apache_beam
import yaml

from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.placement import place_job
from tests.support.flink.job_server import SETTINGS
from tests.support.repository import ROOT

FOLDER = ROOT / "launch" / "deploy" / "flink"
Json = dict[str, Any]


def read(name: str) -> Json:
    content: Json = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return content


CLUSTER, JOB = read("cluster.yaml"), read("backfill.yaml")
POD = JOB["spec"]["template"]["spec"]
[COMMAND], [JOB_SERVER] = POD["containers"], POD["initContainers"]
POOL = CLUSTER["spec"]["taskManager"]["podTemplate"]["spec"]["containers"][1]


def test_one_version_of_flink_is_named_and_groundwatchs_version_of_beam() -> None:
    minor = CLUSTER["spec"]["flinkVersion"].removeprefix("v").replace("_", ".")
    assert CLUSTER["spec"]["image"] == f"flink:{minor}"
    beam = apache_beam.__version__
    assert JOB_SERVER["image"] == f"apache/beam_flink{minor}_job_server:{beam}"


def test_a_lost_worker_does_not_end_the_job() -> None:
    assert CLUSTER["spec"]["flinkConfiguration"].items() >= SETTINGS.items()


def test_the_command_finds_the_cluster_and_the_workers() -> None:
    name, *arguments = COMMAND["args"]
    loaded = all_commands()[name].load(arguments)
    placement = place_job(loaded, loaded.settings.job, loaded.problems)
    assert (loaded.problems, placement.is_local) == ([], False)
    flags = dict(each.split("=", 1) for each in [*arguments, *JOB_SERVER["args"], *POOL["args"]])
    assert flags["--flink-master"] == f"{CLUSTER['metadata']['name']}-rest:8081"
    assert flags["--job_endpoint"] == f"localhost:{flags['--job-port']}"
    assert flags["--environment_config"] == f"localhost:{flags['--service_port']}"
    slots = int(CLUSTER["spec"]["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
    assert int(flags["--parallelism"]) % slots == 0


def test_workers_and_command_are_one_image() -> None:
    dockerfile = (FOLDER.parent / "container" / "Dockerfile").read_text(encoding="utf-8")
    assert POOL["image"] == COMMAND["image"]
    assert f"USER {POOL['securityContext']['runAsUser']}:" in dockerfile
    assert JOB_SERVER["restartPolicy"] == "Always", "the Job would never end"
