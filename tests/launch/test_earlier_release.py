"""What 2.0.0 left on disk: read, and continued.

tests/data/release_2_0_0/ was written by 2.0.0: a finished backfill of answers.jsonl with labels of
its review, one that `--max_calls 3` stopped, and the work folder of a worker that was killed before
it could publish a file; and the metadata of its Dataflow templates. 2.0.0 reads groundwatch.yaml
without a problem in each command.
"""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.paths import default_run_id
from tests.support import templates
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.outputs import alerts_in, distinct_ids_in, records_in, summary_in, visible_files
from tests.support.repository import ROOT
from tests.support.watching import WatchProcess

LEFT = ROOT / "tests" / "data" / "release_2_0_0"
WRITTEN_AT_S = 1_795_521_600
"""The time of the input's last change, which the plan of the stopped run has."""
SOURCE = "408134018795"
TOPIC, SUBSCRIPTION = (f"projects/local/{kind}/answers" for kind in ("topics", "subscriptions"))


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "left"
    shutil.copytree(LEFT, folder)
    os.utime(folder / "answers.jsonl", (WRITTEN_AT_S, WRITTEN_AT_S))
    monkeypatch.chdir(folder)
    # A run is over an input of this absolute path.
    for path in folder.rglob("*.json"):
        path.write_text(path.read_text().replace(SOURCE, default_run_id(["answers.jsonl"])))
    return folder


def test_nothing_on_disk_names_a_module() -> None:
    files = [path for path in LEFT.rglob("*") if path.is_file()]
    assert len(files) == 17
    module = re.compile(rb"\b(launch|pipeline|schemas|transforms)\.[a-z_]+")
    assert not [path for path in files if module.search(path.read_bytes())]


def test_a_finished_output_is_verified_and_reported(left: Path) -> None:
    assert main(["verify", "finished"]) == 0
    assert main(["report", "finished"]) == 0
    assert (left / "finished" / "report.html").is_file()


def test_the_labels_of_a_review_are_used(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = str(left / "finished" / "enriched" / "*" / "*.avro")
    assert main(["evaluate", "--answers", records, "--gold", "labels.jsonl"]) == 0
    assert "2 of 2" in capsys.readouterr().out


@pytest.mark.usefixtures("left")
def test_a_config_file_is_read_by_each_command() -> None:
    commands = all_commands()
    variants = [other for each in commands.values() for _, other in each.variants]
    for command in (*commands.values(), *variants):
        problems = command.load(["--config", "groundwatch.yaml"]).problems
        assert not [each for each in problems if "groundwatch.yaml" in each]
    loaded = commands["backfill"].load(["--config", "groundwatch.yaml"])
    assert loaded.notes == [
        "groundwatch.yaml, line 45: estimate_from has no effect: `estimate` reads the whole input"
    ]
    job = loaded.settings.job
    assert job.alerts.alert_verdicts == ("LOW_GROUNDED", "NUMBER_MISMATCH", "DATE_MISMATCH")


def test_removed_settings_are_named_and_end_no_run(
    left: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (left / "groundwatch.yaml").write_text("claim_threshold: 0.3\nfail_below: {number: 0.8}\n")
    monkeypatch.setenv("GROUNDWATCH_CASES", "50")
    flags = ["--config", "groundwatch.yaml", "--answer", "Lamps glow.", "--fact", "Lamps glow."]
    assert main(["check", *flags]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"groundwatch: {place} has no effect: `probe` was removed in 2.2.0"
        for place in ("groundwatch.yaml, line 2: fail_below", "GROUNDWATCH_CASES")
    ]


@pytest.mark.parametrize("name", ["watch", "backfill"])
def test_a_template_takes_the_same_parameters(left: Path, name: str) -> None:
    then = json.loads((left / "templates" / f"{name}.json").read_bytes())
    made: Any = templates.all_metadata()[name]["parameters"]
    now = {each["name"]: each for each in made}
    for parameter in then["parameters"]:
        replacement = now.pop(parameter["name"])
        assert replacement["paramType"] == parameter["paramType"]
        assert replacement["isOptional"] or not parameter["isOptional"]
        assert words_of(parameter) <= words_of(replacement)
    assert all(each["isOptional"] for each in now.values())


def words_of(parameter: dict[str, Any]) -> set[str]:
    return {option["value"] for option in parameter.get("enumOptions", ())}


def test_a_stopped_backfill_goes_on(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = left / "stopped"
    before = visible_files(output / "enriched")
    assert (
        main(["backfill", "--input", "answers.jsonl", "--output", "stopped", "--run_id", "nightly"])
        == 0
    )
    assert set(before) < set(visible_files(output / "enriched"))
    assert "goes on by words alone; --again checks all of it with" in capsys.readouterr().err
    assert {record["check"]["checker"] for record in records_in(output)} == {"local"}
    assert len(distinct_ids_in(output)) == 8
    assert summary_in(output)["calls"] == 8
    assert main(["verify", "stopped"]) == 0


def test_a_record_that_a_killed_worker_left_is_shown(
    left: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [database] = (left / "live").rglob("run.sqlite")
    before = database.read_bytes()
    assert main(["show", "a0", "live"]) == 0
    shown = capsys.readouterr()
    assert "a0" in shown.out
    assert "8 records" in shown.err
    assert main(["show", "a0", "live", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer_name"] == "a0"
    assert database.read_bytes() == before


def test_a_killed_worker_goes_on(left: Path) -> None:
    output = left / "live"
    lines = (left / "answers.jsonl").read_bytes().splitlines()
    with FakePubSub() as server:
        server.create(TOPIC, SUBSCRIPTION)
        server.publish(TOPIC, [*lines, lines[0].replace(b'"a0"', b'"a8"')])
        with WatchProcess(server.address, SUBSCRIPTION, output) as worker:
            worker.wait_for(lambda: not server.counts(SUBSCRIPTION).outstanding)
            assert worker.end()[0] == 0
    assert len(distinct_ids_in(output)) == 9
    assert len(alerts_in(output)) == 2
    assert (summary_in(output)["read"], summary_in(output)["duplicates"]) == (17, 8)
    assert main(["verify", "live"]) == 0
