"""The stack for a laptop: its parts fit each other, and what it publishes can be read."""

import re
import runpy
from typing import Any

import pytest
import yaml

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.pipeline.settings.load import load
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings
from tests.support.repository import ROOT

FOLDER = ROOT / "launch" / "deploy" / "container"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["topics", "publisher", "worker"]


def test_every_service_is_known_to_those_that_wait_for_it() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= SERVICES.keys()


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - set(OURS)))
def test_an_image_of_others_is_pinned_by_its_digest(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]+@sha256:[0-9a-f]{64}", SERVICES[name]["image"])


@pytest.mark.parametrize("name", OURS)
def test_our_services_are_built_from_the_image_and_may_do_little(name: str) -> None:
    service = SERVICES[name]
    build = service["build"]
    assert (FOLDER / build["context"] / build["dockerfile"]).samefile(FOLDER / "Dockerfile")
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]


def test_what_is_mounted_is_there() -> None:
    volumes = [volume for service in SERVICES.values() for volume in service.get("volumes", ())]
    for source, target, *mode in (volume.split(":") for volume in volumes):
        if source.startswith("."):
            assert (FOLDER / source).exists()
            assert mode == ["ro"]
        else:
            assert source in COMPOSE["volumes"], target


def test_nothing_listens_beyond_the_laptop() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert len(ports) == 3
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_worker_takes_its_flags_and_has_time_to_drain() -> None:
    worker = SERVICES["worker"]
    command, *arguments = worker["command"]
    loaded = load(WatchSettings, arguments, {})
    assert (command, loaded.problems, loaded.others) == ("watch", [], [])
    assert loaded.settings.worker.health_address == ("0.0.0.0", 8080)  # noqa: S104 - in a container
    assert float(worker["stop_grace_period"].removesuffix("s")) > loaded.settings.worker.drain_s


def test_the_scrape_and_the_data_source_name_services_of_the_stack() -> None:
    prometheus = yaml.safe_load((FOLDER / "prometheus" / "prometheus.yml").read_text("utf-8"))
    [scrape] = prometheus["scrape_configs"]
    assert scrape["static_configs"] == [{"targets": ["worker:8080"]}]
    source = FOLDER / "grafana" / "provisioning" / "datasources" / "prometheus.yml"
    assert "url: http://prometheus:9090\n" in source.read_text("utf-8")
    assert {"worker", "prometheus"} <= SERVICES.keys()


def test_the_topics_are_those_of_the_worker_and_may_be_there_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = runpy.run_path(str(FOLDER / "sample_topic.py"))
    settings = load(WatchSettings, SERVICES["worker"]["command"][1:], {}).settings
    with FakePubSub(ServerSettings()) as server:
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", server.address)
        sample["create_topics"]()
        sample["create_topics"]()
        assert server.counts(settings.source.subscription).outstanding == 0
    topics = {settings.pubsub.alert_topic, settings.pubsub.failure_topic, sample["ANSWERS"]}
    assert topics == {
        f"projects/sample/topics/{name}" for name in ("alerts", "answers", "failures")
    }


def test_the_sample_is_published_under_names_that_differ_from_pass_to_pass() -> None:
    sample = runpy.run_path(str(FOLDER / "sample_topic.py"))
    passes = [list(sample["sample_answers"](number)) for number in range(2)]
    named = rb'"name": "(projects/[^"]*/answers/[^"]*)"'
    first, second = (set(re.findall(named, b"".join(lines))) for lines in passes)
    assert len(first) == len(second) > 100
    assert not first & second
    assert all(line.strip() for lines in passes for line in lines)
