"""A template's parameters as a command line, and what is started by them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.backfill import remote_run
from groundwatch.launch.backfill import start_job as start_module
from groundwatch.launch.cli import beam_options
from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.launch.cli.main import main
from groundwatch.launch.deploy.dataflow import __main__ as template
from groundwatch.launch.deploy.dataflow import streaming
from groundwatch.pipeline.settings.definition import settings_of
from groundwatch.pipeline.settings.load import UsageError, load
from groundwatch.transforms.grounding.settings import OutagePolicy
from tests.support.commands import run
from tests.support.dataflow import FLAGS

STREAM = (
    "--subscription=projects/example-project/subscriptions/answers",
    "--output=gs://example-output/run",
)


@pytest.fixture(autouse=True)
def without_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher tries and lists the output, and lists the input; nobody answers here."""
    monkeypatch.setattr(start_module, "try_output", lambda *_: None)
    monkeypatch.setattr(start_module, "run_of_files", lambda *_, **__: None)
    found = {"gs://example-input/*.gz": ["gs://example-input/a.gz"]}
    monkeypatch.setattr(
        start_module,
        "find_inputs",
        lambda _, patterns, *__: [path for pattern in patterns for path in found[pattern]],
    )


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the arguments of `submit`, instead of submitting a job."""
    jobs: list[Any] = []

    def submit(*job: object) -> int:
        jobs.append(job)
        return 0

    monkeypatch.setattr(streaming, "submit", submit)
    monkeypatch.setattr(template, "submit", submit)
    return jobs


@pytest.mark.parametrize(
    ("parameter", "flags"),
    [
        ("--output=gs://example-output/run", ["--output=gs://example-output/run"]),
        ("--alert_text=True", ["--alert_text=True"]),
        (
            "--alert_verdicts=TRUNCATED SAFETY_RATED",
            ["--alert_verdicts=TRUNCATED", "--alert_verdicts=SAFETY_RATED"],
        ),
        (
            """--map=answer=$.reply | $["Final reply"] facts=$["Retrieved docs"][*]""",
            [
                """--map=answer=$.reply | $["Final reply"]""",
                """--map=facts=$["Retrieved docs"][*]""",
            ],
        ),
        ("--move_reason=A=UNSCORABLE", ["--move_reason=A=UNSCORABLE"]),
        ("--sample=", []),
        ("--region=us-central1", ["--region=us-central1"]),
        ("--no_auth", ["--no_auth"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_parameter_is_spelt_as_a_flag(parameter: str, flags: list[str]) -> None:
    known = {f"--{setting.name}": setting for setting in settings_of(BackfillSettings)}
    assert list(template.command_flags(parameter, known)) == flags


def test_a_subscription_starts_a_streaming_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert template.start([*STREAM, *FLAGS]) == 0
    assert capsys.readouterr().out == "groundwatch: the pipeline is built.\n"


def test_an_input_starts_a_backfill(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--input=gs://example-input/*.gz", "--output=gs://example-output/run"]
    assert template.start([*flags, *FLAGS]) == 0
    assert capsys.readouterr().out == "groundwatch: the pipeline is built.\n"


def test_it_runs_as_a_file_outside_of_its_package(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(Path(template.__file__).read_text())
    status, _, errors = run(str(program), "--output=out")
    assert status == 1
    assert "groundwatch: --input is missing" in errors
    assert "Traceback" not in errors


def test_parameters_that_make_no_sense_are_reported_together() -> None:
    with pytest.raises(UsageError) as raised:
        template.start(["--subscription=s", "--max_in_flight=0", "--output=out", *FLAGS])
    message = "\n".join(raised.value.problems)
    assert "--subscription s: must have the form projects/P/subscriptions/S" in message
    assert "--max_in_flight 0: must be a whole number from 1" in message
    assert "--output out: must begin with gs://" in message


@pytest.mark.parametrize(("flags", "tried"), [(FLAGS, 0), (FLAGS[:1] + FLAGS[2:], 1)])
def test_a_dry_run_does_not_ask_the_bucket(
    submitted: list[Any], monkeypatch: pytest.MonkeyPatch, flags: Sequence[str], tried: int
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(streaming, "try_output", lambda output, _: asked.append(output))
    # Beam asks for the bucket of temporary files.
    monkeypatch.setattr(beam_options, "_runner_problems", lambda _: [])
    template.start([*STREAM, *flags])
    assert (len(submitted), len(asked)) == (1, tried)


def test_a_folder_of_this_machine_is_refused_without_being_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must begin with gs://"):
        template.start([STREAM[0], f"--output={tmp_path / 'out'}", *FLAGS])
    assert list(tmp_path.iterdir()) == []


def test_watch_with_a_runner_starts_the_same_job(submitted: list[Any]) -> None:
    assert main(["watch", *STREAM, *FLAGS]) == template.start([*STREAM, *FLAGS]) == 0
    runs = [config.run for config, _, _ in submitted]
    assert [run.partition("-")[0] for run in runs] == ["watch"] * 2


def test_a_stream_is_promised_on_no_other_runner(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", *STREAM, "--runner=FnApiRunner"]) == 2
    assert "--runner: a stream runs on DataflowRunner" in capsys.readouterr().err


def test_what_only_a_newer_launcher_knows_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert template.start([*STREAM, "--launched_by=somebody", "stray", *FLAGS]) == 0
    assert "ignoring the launcher's --launched_by" in caplog.text


def test_what_cannot_be_started_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: object) -> None:
        raise remote_run.GoogleAPICallError("the project has no such account")

    monkeypatch.setattr(remote_run.beam.Pipeline, "run", run)
    assert template.start([*STREAM, *FLAGS]) == 1
    assert capsys.readouterr().err.startswith("groundwatch: the job could not be started: ")


def test_the_values_reach_the_configuration(
    submitted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "ReadSubscription", lambda *arguments: arguments)
    flags = ["--file_age_s=60", "--dedupe_h=0.5", "--id_label=uid", "--run_id=shop"]
    paths = '--map=answer=$.reply facts=$["Retrieved docs"][*]'
    template.start([*STREAM, *flags, paths, *FLAGS])
    [(config, source, sink)] = submitted
    assert (sink.enriched.windows.width_s, sink.enriched.windows.shards) == (60, 4)
    assert config.seen_for_s == 1800
    assert dict(config.parsing.own_map) == {"answer": "$.reply", "facts": '$["Retrieved docs"][*]'}
    assert source == ("projects/example-project/subscriptions/answers", "uid")
    assert config.run.startswith("shop-20")
    assert config.check.outage is OutagePolicy.REDELIVER


def test_of_two_checkers_the_second_one_has_the_quota_and_both_reach_the_workers(
    submitted: list[Any],
) -> None:
    second = "--escalate=discoveryengine", "--project=example-project"
    limits = "--escalate_share=.25", "--requests_per_minute=400", "--max_num_workers=4"
    template.start([*STREAM, *second, *limits, "--machine_type=n2-standard-4", *FLAGS])
    [(config, _, _)] = submitted
    check = config.check
    assert (check.checker, check.requests_per_minute) == ("discoveryengine", 25.0)
    assert (check.screen.first.checker, check.screen.first.requests_per_minute) == ("local", None)
    assert (check.screen.rule.share, check.screen.rule.below) == (0.25, 0.7)


def test_two_jobs_never_write_the_same_files() -> None:
    loaded = load(WatchStreamSettings, STREAM, {})
    assert loaded.problems == []
    runs = {streaming.stream_config(loaded, 1, now_s).run for now_s in (0, 1, 86_400)}
    assert runs == {"watch-19700101T000000Z", "watch-19700101T000001Z", "watch-19700102T000000Z"}


QUOTA = "--checker=http://127.0.0.1:1", "--requests_per_minute=400"


@pytest.mark.parametrize(
    ("machine", "quota"),
    [
        (["--machine_type=n2-standard-4"], 25.0),
        (["--machine_type=n2-custom-2-8192"], 50.0),
        (["--machine_type=custom-8-30720-ext"], 12.5),
        (["--machine_type=n2-standard-4", "--experiments=no_use_multiple_sdk_containers"], 100.0),
        (["--workers=5"], 80.0),
    ],
    ids=["standard", "custom", "custom with more memory", "one process", "--workers"],
)
def test_the_quota_is_divided_by_the_processes_of_all_workers(
    submitted: list[Any], machine: list[str], quota: float
) -> None:
    flags = [*QUOTA, "--max_num_workers=4", *machine]
    template.start([*STREAM, *flags, *FLAGS])
    assert submitted[0][0].check.requests_per_minute == quota


@pytest.mark.parametrize("machine", [[], ["--machine_type=e2-medium"]], ids=["none", "unknown"])
def test_a_quota_that_nobody_can_divide_is_refused(machine: list[str]) -> None:
    flags = [*QUOTA, "--max_num_workers=4", *machine]
    with pytest.raises(UsageError, match="--requests_per_minute: needs"):
        template.start([*STREAM, *flags, *FLAGS])
