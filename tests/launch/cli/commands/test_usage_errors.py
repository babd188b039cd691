"""Command lines that make no sense: each is refused in a sentence, before anything is written."""

import shlex
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope, lines_of

NO_MODULE = "no_such_module:model"
NOT_IMPORTED = f"the checker {NO_MODULE} cannot be imported: ModuleNotFoundError"

# By a command and flags that are right: what is wrong, and words of each complaint. FILE is an
# archive, GOLD its label, DIR an output folder with a damaged summary, NEW one that does not exist.
USAGE_ERRORS: dict[str, tuple[tuple[str, ...], ...]] = {
    "backfill": (
        (
            "--input nowhere.jsonl --claim_threshold 7 --bogus --output ''",
            *("nowhere.jsonl: no file", "--claim_threshold 7", "--bogus is", "--output ''"),
        ),
    ),
    "backfill --input FILE --output NEW": (
        ("--claim_threshold 1.5", "--claim_threshold 1.5: must be"),
        ("--runer x", "did you mean --runner?"),
        ("--xyz 1", "--xyz is unknown"),
        ("--runner Foo", "--runner Foo: Beam has no such runner"),
        (
            "--runner DataflowRunner",
            *("temp_location.", "staging_location."),
            "--runner DataflowRunner: Missing required option: project.",
            "--runner DataflowRunner: Missing required option: region.",
        ),
        ("--runner=SparkRunner --spark_version=1", "--spark_version: invalid"),
        ("--runner", "argument --runner: expected one argument"),
        ("--direct_num_workers abc", "--direct_num_workers: invalid int"),
        ("--run_id ../x", "--run_id ../x: must be letters"),
        (f"--run_id {'x' * 65}", "must be letters, digits"),
        ("--checker http://h:99999", "--checker http://h:99999: must"),
        ("--checker http://[::1", "--checker http://[::1: must"),
        ("--checker ftp://h", "--checker ftp://h: must be local"),
        ("--checker http://u:p@h", "must be local"),
        ("--checker Local", "--checker Local: must be local"),
        ("--grounding_config x", "must have the form projects/P"),
        (
            "--grounding_config 'projects/p/locations/l/groundingConfigs/c?x=y'",
            "must have the form projects/P",
        ),
        ("--alert_verdicts BAD", "must be one of GROUNDED, LOW"),
        ("--alert_tags BAD", "must be one of GROUNDED, LOW"),
        ("--alert_text --text hash", "--text hash keeps them out of all files: pass one of them"),
        ("--move_reason X=GROUNDED", "must be one of INCOMPLETE"),
        ("--impersonate_service_account bob", "bob: must be an email"),
        ("--help-al", "did you mean --help-all?"),
        (
            "--credentials_file k.json",
            "--credentials_file k.json: must be an existing key file of Google",
        ),
        ("--input 'nowhere/*'", "--input nowhere/*: no file matches"),
    ),
    "calibrate --answers FILE --gold GOLD": (
        ("", "pass either --precision or --recall"),
        ("--precision 0.5 --recall 0.5", "pass either --precision or --recall"),
    ),
    "check": (
        ("--answer Lamps.", "--fact is missing"),
        ("--fact Lamps.", "--answer is missing"),
        ("--answer Lamps. --fact_file .", "--fact_file .: "),
        (f"--answer Lamps. --fact Lamps. --checker {NO_MODULE}", NOT_IMPORTED),
        ("--answer a --fact a --format text --json", "--format text: --json asks for another"),
        ("--answer a --fact a --format note --json", "--format note: --json asks for another"),
    ),
    "check --answer a --fact b --escalate http://127.0.0.1:9": (
        ("--checker discoveryengine --project p", "leave --checker out"),
        ("--escalate local", "--escalate local: needs --scorer"),
        ("--escalate discoveryengine", "--escalate discoveryengine: needs --project"),
        ("--checker http://127.0.0.1:9", "is the first checker, too"),
    ),
    "estimate": (
        ("", "--input is missing"),
        ("--input 'nowhere/*.jsonl'", "--input nowhere/*.jsonl: no file matches"),
    ),
    "evaluate": (
        ("", "--answers is missing"),
        ("--answers /nowhere.jsonl", "--answers /nowhere.jsonl: no file matches"),
        ("--answers FILE --gold /nowhere.jsonl", "--gold /nowhere.jsonl: no file"),
        ("--answers FILE", "does not say whether the answer is supported"),
    ),
    "evaluate --answers FILE --gold GOLD": (
        ("--max_cost 7", "--max_cost is unknown"),
        (f"--checker {NO_MODULE}", NOT_IMPORTED),
        ("--checker discoveryengine", "needs --project"),
        ("--scorer /nowhere", "must be small, none, a folder that holds model.onnx"),
        ("--scorer_weight -1", "must be a number from 0 to inf"),
        ("--scorer_weight nan", "must be a number from 0 to inf"),
    ),
    "export": (
        (
            "nowhere --to csv --output NEW",
            "nowhere: holds no enriched records: pass an output folder",
        ),
    ),
    "inspect": (
        ("", "FILE is missing"),
        (
            "FILE --map answer=said reply=$.said",
            "--map answer=said: a path begins with $, such as $.said",
            "--map reply=$.said: reply is not one of query, answer, facts",
        ),
    ),
    "replay --output NEW": (
        ("--failures nowhere", "--failures nowhere: "),
        (
            "--failures projects/p/subscriptions/s",
            "--failures projects/p/subscriptions/s: must be files: write the messages of",
        ),
    ),
    "report": (
        ("", "DIR is missing"),
        ("/nowhere/at/all", "/nowhere/at/all: is not an output folder of groundwatch"),
        ("s3://bucket", "must be a local path, or begin with gs://"),
        ("DIR EXTRA", "EXTRA: is not an output folder of groundwatch"),
        ("DIR DIR EXTRA", "unexpected argument 'EXTRA'"),
        ("DIR DIR --claim_threshold 0", "--claim_threshold: has no effect with OTHER_DIR"),
        ("DIR --answers 10001", "at most 10,000 fit on a page"),
    ),
    "review": (
        ("", "DIR is missing"),
        ("nowhere", "nowhere: holds no enriched records: pass an output folder"),
    ),
    "show": (
        ("", "ID is missing"),
        ("ID nowhere", "nowhere: holds no enriched records: pass an output folder after the id"),
    ),
    "verify": (
        ("", "DIR is missing"),
        ("nowhere", "nowhere: holds no output of groundwatch"),
        ("DIR --work_folder nowhere", "--work_folder nowhere: has no journal of a worker"),
    ),
    "watch --output NEW": (
        ("", "--subscription is missing"),
        ("--subscription answers", "must have the form projects/P/subscriptions/S"),
        ("--demo --subscription x", "--subscription is unknown"),
    ),
    "watch --output NEW --subscription projects/p/subscriptions/s": (
        ("--alert_topic alerts", "must have the form projects/P/topics/T"),
        ("--input x", "--input is unknown"),
        ("--workers 2", "--workers: has no effect without --scorer none or --escalate"),
        (f"--checker {NO_MODULE}", NOT_IMPORTED),
        ("--test_alert", "--test_alert: no channel to test: name it by --alert_webhook"),
    ),
}


OF_PLACES = {"calibrate", "export", "inspect", "report", "review", "show", "verify"}
"""Commands whose complaints need not begin with a flag."""

LINES = {
    f"{right} {wrong}": words for right, rows in USAGE_ERRORS.items() for wrong, *words in rows
}


@pytest.mark.parametrize(("line", "words"), LINES.items(), ids=LINES)
def test_a_command_line_that_makes_no_sense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, words: list[str]
) -> None:
    (tmp_path / "summary.json").write_text("[\n]")
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines_of(an_envelope(1)))
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"name": "1", "grounded": true}\n')
    places = {
        "FILE": str(file),
        "GOLD": str(gold),
        "DIR": str(tmp_path),
        "NEW": str(tmp_path / "new"),
    }
    before = sorted(tmp_path.rglob("*"))
    command, *given = [places.get(part, part) for part in shlex.split(line)]
    assert main([command, *given]) == 2
    screen = capsys.readouterr()
    assert [each for each in words if each not in screen.err] == []
    # Nothing else is wrong.
    assert screen.err.count("\n") == 2 + len(words)
    subject = NOT_IMPORTED if NO_MODULE in given else "" if command in OF_PLACES else "--"
    is_start = screen.err.startswith(f"groundwatch {command} cannot start:\n  {subject}")
    assert is_start or "argument" in screen.err
    assert screen.err.endswith(f"`groundwatch {command} --help` lists the flags.\n")
    assert screen.out == ""
    assert sorted(tmp_path.rglob("*")) == before
