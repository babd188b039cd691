"""The alert rules and the dashboard: all that they name is exported, and Prometheus accepts it."""

import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.archives import an_envelope
from tests.support.optional_tools import PROMETHEUS, PROMTOOL
from tests.support.prometheus import PrometheusServer, prometheus, promtool
from tests.support.repository import ROOT
from tests.support.watched import Watched, work

FOLDER = ROOT / "launch" / "deploy" / "container"
RULES_FILE = FOLDER / "prometheus" / "rules.yml"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load(RULES_FILE.read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((FOLDER / "grafana" / "dashboards" / "groundwatch.json").read_bytes())
PANELS: list[dict[str, Any]] = [each for each in DASHBOARD["panels"] if each["type"] != "row"]
QUERIES = {
    f"{panel['title']}: {target['legendFormat']}": target["expr"]
    for panel in PANELS
    for target in panel["targets"]
}
METRIC = re.compile(r"\b((?:groundwatch|process)_\w+)(\{[^}]*\})?")
OF_TARGETS = {
    "groundwatch_outbox_pending",
    "groundwatch_outbox_sent_total",
    "groundwatch_outbox_refused_total",
    "groundwatch_outbox_dropped_total",
    "groundwatch_oldest_undelivered_age_seconds",
}
OF_ONE = 'job="g",instance="a"}'
# Prometheus adds these to all that it scrapes.
OF_THE_SCRAPE = {"job", "instance"}


def named_in(expression: str) -> Iterator[tuple[str, set[str]]]:
    """The metrics in an expression, each with the labels that it is selected or summed by."""
    grouped = re.findall(r"\b(?:by|on) \(([^)]*)\)", expression)
    summed = {label.strip() for labels in grouped for label in labels.split(",")}
    for name, selector in METRIC.findall(expression):
        yield name, summed | set(re.findall(r"(\w+)\s*(?:=|!=|=~|!~)\s*\"", selector))


def substitute(expression: str) -> str:
    """Put in what Grafana puts in for variables."""
    return re.sub(r"\$(job|instance)\b", ".*", expression).replace("$__rate_interval", "10s")


@pytest.fixture
def served(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> Iterator[tuple[str, Callable[[Callable[[], object]], None]]]:
    """A worker that has counted answers and a failure: its address, and how it goes on working."""
    caplog.set_level("INFO", "groundwatch.launch.watch.open_worker")
    watched.publish(*map(an_envelope, range(5)), b"no answer")
    with watched.worker(health_address=("127.0.0.1", 0)) as worker:
        address = caplog.messages[-1].split()[0]
        work(worker, lambda: not watched.outstanding)
        yield address, lambda until: work(worker, until)


def test_what_rules_and_panels_name_is_exported_with_these_labels(
    served: tuple[str, Callable[[Callable[[], object]], None]],
) -> None:
    with urllib.request.urlopen(f"{served[0]}/metrics") as page:  # noqa: S310 - our own server
        families = list(text_string_to_metric_families(page.read().decode()))
    exported = {(sample.name, *sample.labels) for each in families for sample in each.samples}
    # Those of other tools have samples only where there is such a tool.
    labels = {name: {"target"} for name in OF_TARGETS}
    assert {name.removesuffix("_total") for name in OF_TARGETS} <= {each.name for each in families}
    for name, *keys in exported:
        labels.setdefault(name, set()).update(keys)
    for expression in (*(rule["expr"] for rule in RULES), *QUERIES.values()):
        names = list(named_in(expression))
        assert names, expression
        for name, used in names:
            assert name in labels, f"{name} is not exported"
            assert used <= labels[name] | OF_THE_SCRAPE, f"{name} in {expression}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_how_urgent_it_is_and_where_its_runbook_is(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"page", "ticket"}
    page, anchor = rule["annotations"]["runbook"].split("#")
    headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    assert anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in headings}


def test_every_alert_is_tested_with_series() -> None:
    tested = (Path(__file__).parent / "rules_test.yml").read_text("utf-8")
    firing = {
        case["alertname"]
        for test in yaml.safe_load(tested)["tests"]
        for case in test["alert_rule_test"]
        if case["exp_alerts"]
    }
    assert firing == {rule["alert"] for rule in RULES}


def test_the_panels_have_ids_of_their_own_and_say_what_they_show() -> None:
    everything = DASHBOARD["panels"]
    assert len({each["id"] for each in everything}) == len(everything)
    assert all(each["description"] for each in PANELS)


@pytest.mark.skipif(not PROMTOOL, reason="no promtool")
def test_the_rules_are_valid_and_fire_when_they_should() -> None:
    # And with it the rules, which it names.
    promtool("check", "config", str(RULES_FILE.with_name("prometheus.yml")))
    promtool("test", "rules", str(Path(__file__).parent / "rules_test.yml"))


# What a healthy worker exports, minute by minute, and how that differs by where its alerts go.
HEALTHY = {
    "up": "1x60",
    "groundwatch_build_info": "1x60",
    "process_start_time_seconds": "1700000000x60",
    "groundwatch_healthy": "1x60",
    "groundwatch_pubsub_up": "1x60",
    "groundwatch_oldest_unacked_age_seconds": "0 59 0 59x57",
    "groundwatch_checks_ok_total": "0+600x60",
    "groundwatch_calls_total": "0+612x60",
    "groundwatch_retries_total": "0+12x60",
    "groundwatch_messages_read_total": "0+10000x60",
    'groundwatch_failures_total{error_class="Rejected"}': "0+9x60",
    'groundwatch_failures_total{error_class="BadReply"}': "0x60",
    "groundwatch_ledger_gap": "0x60",
    "groundwatch_oldest_unpublished_age_seconds": "0+60x5 0+60x5 0x50",
    "groundwatch_leases_overdue": "0x60",
    'groundwatch_batches_total{outcome="failed"}': "0 1x59",
    'groundwatch_open_incidents{kind="rate"}': "0x60",
    'groundwatch_check_seconds_bucket{le="5"}': "0+96x60",
    'groundwatch_check_seconds_bucket{le="+Inf"}': "0+100x60",
    'groundwatch_publish_to_alert_seconds_bucket{le="60"}': "0+96x60",
    'groundwatch_publish_to_alert_seconds_bucket{le="+Inf"}': "0+100x60",
}
STEADY_TARGET = {
    "groundwatch_destination_up": "1x60",
    "groundwatch_oldest_undelivered_age_seconds": "0 59x59",
    "groundwatch_outbox_pending": "0 9x59",
    "groundwatch_outbox_sent_total": "0+9x60",
    "groundwatch_outbox_refused_total": "0x60",
    "groundwatch_outbox_dropped_total": "0x60",
}
MODES = {
    # Some alerts wait at each scrape: a file takes those of a minute.
    "files": {'groundwatch_unpublished{kind="alert"}': "0 5x59"},
    "topic": {
        'groundwatch_unpublished{kind="alert"}': "0 5x59",
        'groundwatch_destination_up{target="alert"}': "1x60",
        'groundwatch_oldest_undelivered_age_seconds{target="alert"}': "0 30x59",
    },
    "webhook": {f'{name}{{target="slack:HOOK"}}': each for name, each in STEADY_TARGET.items()},
    "tool": {f'{name}{{target="langfuse"}}': each for name, each in STEADY_TARGET.items()},
}


@pytest.mark.skipif(not PROMTOOL, reason="no promtool")
@pytest.mark.parametrize("mode", MODES)
def test_no_rule_fires_on_a_healthy_worker(mode: str, tmp_path: Path) -> None:
    series = [
        {"series": name.rstrip("}") + ("," if "{" in name else "{") + OF_ONE, "values": values}
        for name, values in (HEALTHY | MODES[mode]).items()
    ]
    silent = [
        {"eval_time": f"{minute}m", "alertname": rule["alert"], "exp_alerts": []}
        for rule in RULES
        for minute in (1, 20, 45)
    ]
    cases = {"interval": "1m", "input_series": series, "alert_rule_test": silent}
    path = tmp_path / "healthy.yml"
    written = {"rule_files": [str(RULES_FILE)], "evaluation_interval": "1m", "tests": [cases]}
    path.write_text(yaml.safe_dump(written))
    promtool("test", "rules", str(path))


@pytest.mark.skipif(not PROMETHEUS, reason="no prometheus")
def test_a_real_prometheus_has_data_for_every_panel_and_evaluates_every_rule(
    served: tuple[str, Callable[[Callable[[], object]], None]],
) -> None:
    address, work_until = served
    with prometheus(address.removeprefix("http://"), RULES_FILE) as server:
        work_until(lambda: all(states(server)) and scraped_twice(server))
        empty = {name for name, query in QUERIES.items() if not server.query(substitute(query))}
        firing = [alert["labels"]["alertname"] for alert in server.get("alerts")["alerts"]]
    assert {QUERIES[name] for name in empty} == {it for it in QUERIES.values() if "_outbox_" in it}
    assert set(firing) <= {"GroundwatchFailures"}, "one message of six cannot be read"


def states(server: PrometheusServer) -> list[bool]:
    """Whether each rule was evaluated without an error."""
    groups = server.get("rules")["groups"]
    return [rule["health"] == "ok" for group in groups for rule in group["rules"]] or [False]


def scraped_twice(server: PrometheusServer) -> bool:
    """Whether a rate can be given."""
    return bool(server.query("rate(groundwatch_failures_total[10s])"))
