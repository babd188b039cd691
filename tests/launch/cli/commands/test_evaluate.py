"""`groundwatch evaluate`."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from tests.support import wire_faults
from tests.support.archives import an_envelope, lines_of
from tests.support.builders import an_enriched
from tests.support.entailment_models import write_model
from tests.support.evaluations import chosen_labels, write_gold
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.reports import write_enriched
from tests.support.runs import an_archive, backfill

SUPPORTED, FALSE = "Lamps glow red at night.", "Kettles vote in Senegal."


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Four answers, the last two of which hold a false sentence of 24 bytes."""
    texts = (SUPPORTED, SUPPORTED, FALSE, f"{SUPPORTED} {FALSE}")
    lines = (an_envelope(number, answer=text) for number, text in enumerate(texts))
    return an_archive(tmp_path, *lines)


@pytest.fixture
def gold(tmp_path: Path) -> str:
    """Labels of the four answers."""
    return write_gold(
        tmp_path,
        {"name": "answer-0", "hallucinated": False, "spans": []},
        {"name": "answer-1", "hallucinated": False, "spans": []},
        {"name": "answer-2", "hallucinated": True, "spans": [[0, 24, "Conflict"]]},
        {"name": "answer-3", "hallucinated": True, "spans": [[25, 49, "Baseless"]]},
    )


def evaluate(folder: Path, *arguments: str) -> Any:
    """Return the JSON of a successful evaluation."""
    output = folder / "evaluation.json"
    assert main(["evaluate", *arguments, "--output", str(output), "--resamples", "20"]) == 0
    assert not list(folder.glob(".groundwatch-*"))
    return json.loads(output.read_bytes())


def test_answers_without_labels_need_gold(
    answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["evaluate"], ["calibrate", "--recall", "0.9"]):
        assert main([*command, "--answers", str(answers)]) == 2
        complained = capsys.readouterr().err
        assert complained.count("--gold") == 1
        assert "--gold is missing: pass the files of the labels, or label the" in complained
        assert f"answers (--answers {answers}, line 1:" in complained


def test_the_embedded_checker_is_measured(tmp_path: Path, answers: Path, gold: str) -> None:
    found = evaluate(tmp_path, "--answers", str(answers), "--gold", gold)
    assert found["counts"] == {
        "read": 4,
        "unreadable": 0,
        "failed": 0,
        "unlabelled": 0,
        "labelled": 4,
        "unscored": 0,
        "labels_unmet": 0,
    }
    assert found["checkers"] == {"local+small": 4}
    assert found["answers_by_claim"]["auroc"]["value"] == 1.0
    assert found["answers_by_support"]["auroc"]["value"] == 1.0
    assert found["claims"]["auroc"]["value"] == 1.0
    assert (found["claims"]["supported"], found["claims"]["unsupported"]) == (3, 2)
    assert found["low_grounded"]["f1"] == 1.0
    for score in ("answers_by_claim", "answers_by_support"):
        worst = found[score]["worst"]
        assert [each["share"] for each in worst] == [0.05, 0.1, 0.2]
        assert [each["precision"]["value"] for each in worst] == [1.0, 1.0, 1.0]
        assert worst[0].keys() == {"share", "examples", "unsupported", "precision"}
    assert "worst" not in found["claims"]


def test_records_that_were_checked_before_keep_their_scores(
    tmp_path: Path, answers: Path, gold: str
) -> None:
    assert backfill(answers, tmp_path / "out") == 0
    records = f"{tmp_path}/out/enriched/**/*.avro"
    now = evaluate(tmp_path, "--answers", str(answers), "--gold", gold)
    assert evaluate(tmp_path, "--answers", records, "--gold", gold) == now


def test_the_thresholds_that_are_given_decide_which_records_are_flagged(
    tmp_path: Path, answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert backfill(answers, tmp_path / "out") == 0
    config = tmp_path / "thresholds.yaml"
    config.write_text("low_grounded_threshold: 0\nclaim_threshold: 0\n")
    given = ["--answers", f"{tmp_path}/out", "--gold", gold]
    assert evaluate(tmp_path, *given)["low_grounded"]["flagged"] == 2
    assert "thresholds given" not in capsys.readouterr().out
    assert evaluate(tmp_path, *given, "--config", str(config))["low_grounded"]["flagged"] == 0
    assert "LOW_GROUNDED by the thresholds given" in capsys.readouterr().out


def test_records_are_checked_again_where_a_checker_is_named(tmp_path: Path) -> None:
    wrong = an_enriched(answer_text=SUPPORTED, min_claim_score=0.1, answer_name="a")
    path = write_enriched(tmp_path, [wrong])
    gold = write_gold(tmp_path, {"name": "a", "grounded": True})
    kept = evaluate(tmp_path, "--answers", str(path), "--gold", gold)
    again = evaluate(tmp_path, "--answers", str(path), "--gold", gold, "--checker", "local")
    flagged = [each["answers_by_claim"]["at"][0]["flagged"] for each in (kept, again)]
    assert flagged == [1, 0]


def test_a_model_of_the_users_own_scores_in_the_embedded_checker(
    tmp_path: Path, answers: Path, gold: str
) -> None:
    scorer = write_model(tmp_path / "both_red")
    given = ["--answers", str(answers), "--gold", gold, "--scorer", scorer, "--scorer_weight=inf"]
    found = evaluate(tmp_path, *given)
    assert found["checkers"] == {"local+both_red": 4}
    assert [each["mean_score"] for each in found["claims"]["calibration"]["bins"]] == [
        pytest.approx(0.119, abs=1e-3),
        pytest.approx(0.881, abs=1e-3),
    ]


def test_words_model_and_both_are_compared_in_one_call_and_as_each_alone(
    tmp_path: Path, answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer = "--scorer", write_model(tmp_path / "both_red")
    given = ["--answers", str(answers), "--gold", gold]
    found = evaluate(tmp_path, *given, *scorer, "--scorer_weight=0.5")
    names = ["words", "words and 0.5 * model", "model"]
    assert [each["scored_by"] for each in found["by_weight"]] == names
    printed = capsys.readouterr().out
    assert all(f"\n{name}  " in printed for name in names)
    alone = (
        evaluate(tmp_path, *given, "--scorer", "none"),
        evaluate(tmp_path, *given, *scorer, "--scorer_weight=0.5"),
        evaluate(tmp_path, *given, *scorer, "--scorer_weight=inf"),
    )
    for compared, each in zip(found["by_weight"], alone, strict=True):
        assert compared["verdicts"] == each["verdicts"]
        assert compared["auroc"] == each["answers_by_claim"]["auroc"]
    areas = [each["auroc"]["value"] for each in found["by_weight"]]
    differences = [each["difference"]["value"] for each in found["by_weight"]]
    assert differences == pytest.approx([each - areas[0] for each in areas])
    assert alone[0]["by_weight"] == []
    assert [each["scored_by"] for each in alone[2]["by_weight"]] == [
        "words",
        "words and 1 * model",
        "model",
    ]


def test_records_are_checked_again_by_a_model_and_not_without_weight(
    tmp_path: Path, answers: Path, gold: str
) -> None:
    assert backfill(answers, tmp_path / "out") == 0
    given = ["--answers", f"{tmp_path}/out", "--gold", gold]
    scorer = "--scorer", write_model(tmp_path / "both_red")
    found = evaluate(tmp_path, *given, *scorer)
    assert found["checkers"] == {"local+both_red": 4}
    assert len(found["by_weight"]) == 3
    found = evaluate(tmp_path, *given, *scorer, "--scorer_weight=0")
    assert (found["checkers"], found["by_weight"]) == ({"local": 4}, [])


def test_behind_a_service_that_decides_the_model_is_compared_without_it(
    tmp_path: Path, answers: Path, gold: str
) -> None:
    scorer = "--scorer", write_model(tmp_path / "both_red")
    given = ["--answers", str(answers), "--gold", gold, *scorer]
    with FaultServer() as server:
        second = "--escalate", server.address, "--escalate_below=1", "--requests_per_minute=600"
        found = evaluate(tmp_path, *given, *second)
    assert found["checkers"] == {server.address: 4}
    assert server.requests == 3  # Two of the answers are equal.
    assert found["by_weight"] == evaluate(tmp_path, *given)["by_weight"]


def test_a_model_that_cannot_be_used_is_reported(
    tmp_path: Path, answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer = write_model(tmp_path / "model", labels=None)
    given = ["--answers", str(answers), "--gold", gold, "--scorer", scorer]
    assert main(["evaluate", *given]) == 1
    assert "must be named entailment or supported" in capsys.readouterr().err


def test_labels_may_be_fields_of_the_answers(tmp_path: Path) -> None:
    lines = (
        {"id": "a", "answer": SUPPORTED, "facts": [SUPPORTED], "grounded": True},
        {"id": "b", "answer": FALSE, "facts": [SUPPORTED], "grounded": False},
    )
    path = an_archive(tmp_path, *(json.dumps(line).encode() for line in lines))
    found = evaluate(tmp_path, "--answers", str(path))
    assert found["counts"]["labelled"] == 2
    assert found["answers_by_claim"]["auroc"]["value"] == 1.0
    assert found["claims"] is None


def test_unreadable_and_unlabelled_answers_are_counted(tmp_path: Path, gold: str) -> None:
    path = tmp_path / "more.jsonl.gz"
    lines = an_envelope(0), an_envelope(0), an_envelope(7), b"{", an_envelope(1, facts=[])
    path.write_bytes(gzip.compress(lines_of(*lines)))
    counts = evaluate(tmp_path, "--answers", str(path), "--gold", gold)["counts"]
    assert counts == {
        "read": 5,
        "unreadable": 1,
        "failed": 0,
        "unlabelled": 2,
        "labelled": 2,
        "unscored": 1,
        "labels_unmet": 2,
    }


def test_a_checker_that_cannot_be_called_is_reported(
    answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--answers", str(answers), "--gold", gold, "--max_attempts", "1"]
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert main(["evaluate", *given, "--checker", server.address]) == 1
    assert "no answer could be checked: " in capsys.readouterr().err
    with FaultServer(always(wire_faults.status(403, "PERMISSION_DENIED"))) as server:
        assert main(["evaluate", *given, "--checker", server.address]) == 1
    assert "groundwatch: the evaluation failed: " in capsys.readouterr().err


def test_answers_that_could_not_be_checked_are_counted(
    tmp_path: Path, answers: Path, gold: str
) -> None:
    refusals = by_answer({FALSE: wire_faults.status(400, "INVALID_ARGUMENT")})
    given = ["--answers", str(answers), "--gold", gold]
    with FaultServer(refusals) as server:
        found = evaluate(tmp_path, *given, "--checker", server.address)
        assert found["checkers"] == {server.address: 3}
    assert found["counts"]["failed"] == 1
    assert found["counts"]["labelled"] == 3


def test_the_tables_agree_with_the_file(
    answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "--answers", str(answers), "--gold", gold]) == 0
    printed = capsys.readouterr().out
    assert "4 labelled answers: 2 supported, 2 unsupported; checked by local+small (4)" in printed
    assert "precision  2 of 2 LOW_GROUNDED answers are unsupported\n" in printed
    rows = [line.split("  ") for line in printed.splitlines()]
    by_name = {row[0]: [each.strip() for each in row[1:] if each.strip()] for row in rows}
    assert by_name["claims"][:1] == ["0.6"]
    assert by_name["answers LOW_GROUNDED"] == ["—", "2", "50.0%", "1.000", "1.000", "1.000"]
    assert "expected error" in by_name


def test_a_damaged_archive_is_reported_and_the_rest_is_measured(
    tmp_path: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compressed = tmp_path / "cut.jsonl.gz"
    lines = [*map(an_envelope, range(4))]
    compressed.write_bytes(gzip.compress(lines_of(*lines)) + gzip.compress(lines_of(*lines))[:-9])
    record = write_enriched(tmp_path, [an_enriched(), an_enriched()])
    record.write_bytes(record.read_bytes()[:-9])
    given = ["--answers", str(compressed), str(record), "--gold", gold]
    assert main(["evaluate", *given]) == 1
    complaint = capsys.readouterr().err
    assert "the evaluation failed: damaged files: 2\n" in complaint
    assert f"  {compressed}#after-record-4: gzip member 2, " in complaint
    assert f"  {record}: is damaged: Avro block 1, " in complaint
    assert (
        main(["evaluate", *given[:-1], write_gold(tmp_path, {"name": "x", "grounded": True})]) == 1
    )
    assert "no label belongs to an answer" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_reported(
    answers: Path, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--answers", str(answers), "--gold", gold, "--output", f"{gold}/page.json"]
    assert main(["evaluate", *arguments]) == 1
    assert "the evaluation failed: " in capsys.readouterr().err


def test_several_files_of_labels_are_measured_together(
    tmp_path: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name, labels in (("north", {0: True, 2: False}), ("south", {1: True, 3: True})):
        (tmp_path / name).mkdir()
        lines = ({"name": f"answer-{n}", "grounded": label} for n, label in labels.items())
        files.append(write_gold(tmp_path / name, *lines))
    found = evaluate(tmp_path, "--answers", str(answers), "--gold", *files)
    printed = capsys.readouterr().out
    assert "1 of 2 LOW_GROUNDED answers are unsupported" in printed
    assert "1 of 1 unsupported answers are LOW_GROUNDED" in printed
    assert found["counts"]["labelled"] == 4


def test_labels_of_flagged_answers_alone_tell_no_recall(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(tmp_path, *chosen_labels(tmp_path, 10, 0))
    said = " ".join(capsys.readouterr().out.split())
    assert "unknown: 10 LOW_GROUNDED answers have a label, and none of the 10 GROUNDED" in said
    assert "label answers that `groundwatch review` draws at random" in said
    assert "10 of 10 unsupported answers" not in said
    assert found["verdicts"]["recall"] is None
    assert found["verdicts"]["precision"]["value"] == 1
    tables = found["low_grounded"], *found["answers_by_claim"]["at"]
    assert [(each["recall"], each["f1"]) for each in tables] == [(None, None)] * len(tables)
    assert found["answers_by_claim"]["best"] is None


@pytest.mark.parametrize(
    ("flagged", "passed", "is_told"),
    [(10, 2, True), (2, 10, True), (10, 10, False), (6, 4, True), (9, 8, False)],
)
def test_a_recall_of_labels_that_are_not_in_the_proportions_of_all_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flagged: int, passed: int, is_told: bool
) -> None:
    found = evaluate(tmp_path, *chosen_labels(tmp_path, flagged, passed))
    sentence = f"{flagged} of 10 LOW_GROUNDED and {passed} of 10 GROUNDED answers have a label"
    assert (sentence in capsys.readouterr().out) == is_told
    assert bool(found["unequal_labels"]) == is_told
    assert found["verdicts"]["recall"]["value"] == 1
    assert found["unknown_recall"] is None
