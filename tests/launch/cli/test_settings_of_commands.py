"""Parse the settings of the worker, and describe those of all commands."""

import re
import shlex
from pathlib import Path

import pytest

from groundwatch.launch.cli.commands import all_commands, documented_commands
from groundwatch.launch.cli.commands.watch import WorkerSettings
from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings.definition import Setting, Settings, settings_of
from groundwatch.pipeline.settings.load import load
from groundwatch.transforms.rules.no_data import NoDataRule
from tests.support.archives import an_envelope


def test_the_default_rule_of_no_data_is_that_of_the_monitor() -> None:
    settings = load(WorkerSettings, [], {}).settings
    assert settings.no_data_after_s == 1800.0
    assert settings.no_data == NoDataRule()


def test_no_data_may_alert_sooner() -> None:
    loaded = load(WorkerSettings, ["--no_data_after_s=2.5"], {})
    assert loaded.problems == []
    assert loaded.settings.no_data == NoDataRule(after_us=2_500_000)


ADDRESSES = {
    "8080": ("127.0.0.1", 8080),
    "0": ("127.0.0.1", 0),
    "10.0.0.1:9464": ("10.0.0.1", 9464),
    "localhost:65535": ("localhost", 65_535),
    "[::1]:80": ("::1", 80),
}


@pytest.mark.parametrize(("text", "address"), ADDRESSES.items(), ids=ADDRESSES)
def test_an_address_is_a_host_and_a_port_or_a_port_of_this_machine(
    text: str, address: tuple[str, int]
) -> None:
    loaded = load(WorkerSettings, ["--health_address", text], {})
    assert loaded.problems == []
    assert loaded.settings.health_address == address


@pytest.mark.parametrize("text", ["", ":80", "host:", "host", "::1:80", "a b:1", "1:65536", "1:²"])
def test_an_invalid_address_is_refused(text: str) -> None:
    loaded = load(WorkerSettings, [f"--health_address={text}"], {})
    assert loaded.settings.health_address is None
    [problem] = loaded.problems
    assert "HOST:PORT" in problem


GOOGLE = "--checker discoveryengine or --escalate discoveryengine"
CALLED = "--checker (another than local) or --escalate (another than local)"
ARCHIVE = "--input {folder} --output {folder}/out"
WITHOUT_EFFECT = {
    f"backfill {ARCHIVE} --escalate_share 0.3": "--escalate",
    f"backfill {ARCHIVE} --escalate_below 0.3": "--escalate",
    f"backfill {ARCHIVE} --scorer_weight 2": "--scorer",
    f"backfill {ARCHIVE} --project P": GOOGLE,
    f"backfill {ARCHIVE} --location eu": GOOGLE,
    f"estimate {ARCHIVE} --quota_project P": GOOGLE,
    f"backfill {ARCHIVE} --max_attempts 3": CALLED,
    f"backfill {ARCHIVE} --checker local --timeout_s 3": CALLED,
    f"backfill {ARCHIVE} --requests_per_minute 3": CALLED,
    f"backfill {ARCHIVE} --scorer none --max_in_flight 3": (
        f"{CALLED} or --scorer (another than none)"
    ),
    "replay --failures {folder}/*.jsonl --output {folder}/out --escalate_share 0.3": "--escalate",
    "evaluate --answers {folder} --escalate_share 0.3": "--escalate",
    "calibrate --answers {folder} --recall 0.9 --location eu": "--checker discoveryengine",
    "check --answer A --fact B --escalate_below 0.3": "--escalate",
    "demo --output {folder}/out --escalate_share 0.3": "--escalate",
    "serve-checker --scorer_weight 2": "--scorer",
    "watch --subscription projects/p/subscriptions/s --output {folder}/out --alert_ordering": (
        "--alert_topic"
    ),
    "watch --subscription projects/p/subscriptions/s --output {folder}/out --workers 2": (
        "--scorer none or --escalate"
    ),
}


@pytest.mark.parametrize("arguments", WITHOUT_EFFECT)
def test_a_flag_that_has_no_effect_is_refused_with_the_flag_that_it_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    (tmp_path / "answers.jsonl").write_bytes(an_envelope(1))
    assert main(arguments.format(folder=tmp_path).split()) == 2
    flag = re.findall(r"--\w+", arguments)[-1]
    sentence = f"  {flag}: has no effect without {WITHOUT_EFFECT[arguments]}\n"
    assert sentence in capsys.readouterr().err


WITHOUT_ITS_NEED = {
    "scorer": "--checker http://127.0.0.1:1",
    "max_in_flight": "--scorer none",
    "export_output": "--to langfuse",
    **dict.fromkeys(("endpoint", "since", "export_text", "progress"), "--to csv --output x"),
    "`serve-checker` scorer": "--judge http://127.0.0.1:1 --judge_model m",
    "`report`": "A B",
    "`check`": "--answer A --fact F",
    "`calibrate`": "--recall 0.9",
    "`watch`": "--listen 8090",
    **dict.fromkeys(
        ("`watch` listen_key", "`watch` push_audience", "`watch` push_account"),
        "--subscription projects/p/subscriptions/s",
    ),
}
"""What takes the effect of a setting, by command or key; of the others their need is absent."""

VALUES = {
    "location": "eu",
    "api_version": "v1",
    "grounding_config": "projects/p/locations/eu/groundingConfigs/g",
    "proxy": "http://127.0.0.1:3128",
    "impersonate_service_account": "a@p.iam.gserviceaccount.com",
    "scorer": "none",
    "endpoint": "http://127.0.0.1:1",
    "since": "2026-03-02",
    "listen_key": "KEY",
    **dict.fromkeys(("export_text", "alert_ordering"), "true"),
    **dict.fromkeys(("escalate_below", "escalate_share", "low_grounded_threshold"), "0.3"),
    **dict.fromkeys(("project", "quota_project", "push_account"), "a@p.b"),
    **dict.fromkeys(("export_output", "progress"), "file"),
}
"""Values of settings that no number is."""

ALWAYS_MET = {"`estimate`": "assumed_latency_ms", "`watch --runner`": "subscription"}
"""Needs that a command always meets: it has a default, or is required."""

KEYS = {field.key for _, settings in documented_commands() for field in settings_of(settings)}
NEEDING = [
    pytest.param(name, settings, field, id=f"{name} {field.key}")
    for name, settings in documented_commands()
    for field in settings_of(settings)
    if field.note.needs and ALWAYS_MET.get(name, "no need") not in field.note.needs
]


@pytest.mark.parametrize(("name", "settings", "field"), NEEDING)
def test_what_has_no_effect_is_refused_as_a_flag_alone(
    tmp_path: Path, name: str, settings: type[Settings], field: Setting
) -> None:
    keys = name, field.key
    own = WITHOUT_ITS_NEED.get(f"{name} {field.key}")
    beside = (own or " ".join(WITHOUT_ITS_NEED.get(key, "") for key in keys)).split()
    value = VALUES.get(field.key, "0.3" if "threshold" in field.key else "3")
    path = tmp_path / "settings.yaml"
    path.write_text(f"{field.key}: {value}\n")
    before = load(settings, beside, {}).problems
    variables = {f"GROUNDWATCH_{field.key.upper()}": value}
    assert load(settings, beside, variables, KEYS).problems == before
    assert load(settings, [*beside, "--config", str(path)], {}, KEYS).problems == before
    # Many values would take in what follows.
    [*_, refused] = load(settings, [*beside, f"--{field.name}={value}"], {}).problems
    assert refused.startswith(f"--{field.name}: has no effect with")


def test_what_a_setting_needs_are_settings_or_the_runner() -> None:
    fields = [each for _, settings in documented_commands() for each in settings_of(settings)]
    names = {field.key for field in fields} | {"runner"}
    needed = {re.split("!?=", need)[0] for field in fields for need in field.note.needs.split()}
    assert needed
    assert needed <= names


@pytest.mark.parametrize(
    "arguments",
    [
        "--escalate http://127.0.0.1:1 --escalate_share 0.3 --timeout_s 3",
        "--checker discoveryengine --project P --quota_project P",
        "--project P --runner FlinkRunner",
    ],
)
def test_a_flag_that_has_an_effect_is_taken(tmp_path: Path, arguments: str) -> None:
    given = "--input", str(tmp_path), "--output", str(tmp_path), *arguments.split()
    assert all_commands()["backfill"].load(given).problems == []


def test_every_setting_has_a_help_of_whole_sentences() -> None:
    settings = {setting for _, taken in documented_commands() for setting in settings_of(taken)}
    assert len(settings) > 80
    assert [each.key for each in settings if not each.help.endswith(".")] == []


REVIEW = ("folders", "labels")
REPORT = ("folder", "other_folder", "claim_threshold")
SEVERAL_VALUES = [
    ("review out --labels a b", REVIEW, (("out",), ("a", "b"))),
    ("review out live --labels a b --labels c --open", REVIEW, (("out", "live"), ("a", "b", "c"))),
    ("review out --labels a --open live", REVIEW, (("out", "live"), ("a",))),
    ("review --labels a out", REVIEW, (("out",), ("a",))),
    ("review out --port 0 live", REVIEW, (("out", "live"), ("labels.jsonl",))),
    ("report out --claim_threshold .3 x=.4", REPORT, ("out", None, ((None, 0.3), ("x", 0.4)))),
    ("evaluate --answers a b --gold c d", ("answers", "gold"), (("a", "b"), ("c", "d"))),
    ("backfill --input a b --output out", ("input",), (("a", "b"),)),
    ("replay --failures a b --output out", ("failures",), (("a", "b"),)),
]


@pytest.mark.parametrize(("line", "keys", "values"), SEVERAL_VALUES)
def test_a_flag_of_several_values_takes_all_behind_it(
    line: str, keys: tuple[str, ...], values: tuple[object, ...]
) -> None:
    name, *arguments = shlex.split(line)
    loaded = all_commands()[name].load(arguments)
    assert loaded.problems == []
    groups = [loaded.settings, *(getattr(loaded.settings, key) for key in _groups(loaded.settings))]
    found = {key: getattr(each, key) for each in groups for key in keys if hasattr(each, key)}
    assert tuple(found[key] for key in keys) == values


def _groups(settings: Settings) -> list[str]:
    return [
        name for name in settings.__struct_fields__ if isinstance(getattr(settings, name), Settings)
    ]
