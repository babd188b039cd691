"""The templates' metadata: strictly read, and one with the command line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.cloud.dataflow_v1beta3 import ContainerSpec, TemplateMetadata

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.pipeline.settings.definition import Setting, accepted_settings
from tests.support import templates

Json = dict[str, Any]
MADE: dict[str, Json] = templates.all_metadata()
KNOWN = {"watch": WatchStreamSettings, "backfill": BackfillSettings}


@pytest.mark.parametrize("name", MADE)
def test_the_file_is_what_the_options_make(name: str) -> None:
    path = templates.FOLDER / f"{name}.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written == MADE[name], "after a change of options: python -m tests.support.templates"


@pytest.mark.parametrize("name", MADE)
def test_dataflows_own_client_knows_every_field(name: str) -> None:
    text = json.dumps(MADE[name])
    read = TemplateMetadata.from_json(text, ignore_unknown_fields=False)
    assert len(read.parameters) == len(MADE[name]["parameters"]) > 30
    template = templates.template_of(MADE[name], "example/groundwatch@sha256:0")
    ContainerSpec.from_json(json.dumps(template), ignore_unknown_fields=False)


@pytest.mark.parametrize("name", MADE)
def test_every_parameter_says_all_that_a_person_asks(name: str) -> None:
    for parameter in MADE[name]["parameters"]:
        assert set(parameter) >= {"name", "label", "helpText", "isOptional", "paramType"}
        assert re.fullmatch(r"[A-Z0-9].*[^.]\.", parameter["helpText"], re.DOTALL)


def parameters_of(name: str) -> dict[str, Json]:
    return {parameter["name"]: parameter for parameter in MADE[name]["parameters"]}


@pytest.mark.parametrize("name", MADE)
def test_every_flag_is_a_parameter_but_for_those_of_one_machine(name: str) -> None:
    beams = {parameter["name"] for parameter in templates._BEAM_PARAMETERS}
    flags = {setting.name for setting in accepted_settings(KNOWN[name])}
    left_out = flags - (set(parameters_of(name)) - beams)
    assert set(parameters_of(name)) <= flags | beams
    local = {
        "backfill": {
            *("again", "fail_above", "forget_replies"),
            *("max_calls", "max_cost", "work_folder"),
        },
        "watch": set(),
    }
    assert left_out == {"credentials_file", "project"} | local[name]


@pytest.mark.parametrize("name", MADE)
def test_what_is_required_and_what_is_the_default_is_the_same(name: str) -> None:
    parameters = parameters_of(name)
    for setting in templates.template_settings(KNOWN[name]):
        parameter = parameters[setting.name]
        assert parameter["isOptional"] is not setting.is_required
        default = parameter.get("defaultValue")
        if default is not None:
            assert read(setting, default) == setting.default


def read(setting: Setting, text: str) -> Any:
    values = tuple(map(setting.kind.parse, text.split() if setting.is_many else [text]))
    return values if setting.is_many else values[0]


def test_templates_are_written_for_an_image(tmp_path: Path) -> None:
    templates.main(["example/groundwatch@sha256:0", str(tmp_path)])
    written = {path.stem: json.loads(path.read_bytes()) for path in tmp_path.iterdir()}
    assert {name: template["metadata"] for name, template in written.items()} == MADE
    assert {template["image"] for template in written.values()} == {"example/groundwatch@sha256:0"}
