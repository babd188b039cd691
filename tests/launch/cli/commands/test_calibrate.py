"""`groundwatch calibrate`."""

import json
import random
import re
from collections import Counter
from itertools import takewhile
from pathlib import Path

import pytest
import yaml

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope
from tests.support.builders import a_fact
from tests.support.entailment_models import write_known_answers
from tests.support.evaluations import chosen_labels, write_gold
from tests.support.outputs import records_in
from tests.support.pages import parse_page
from tests.support.reports import a_low, write_enriched
from tests.support.runs import an_archive, backfill

SUPPORTED, FALSE = "Lamps glow red at night.", "Kettles vote in Senegal."


@pytest.fixture
def labelled(tmp_path: Path) -> list[str]:
    """Forty-eight answers of two engines, half of them unsupported."""
    texts = [SUPPORTED, FALSE] * 24
    lines = (
        an_envelope(
            number, answer=text, engine=f"shop-{number // 24}", facts=[SUPPORTED, f"{number}."]
        )
        for number, text in enumerate(texts)
    )
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        "".join(
            json.dumps({"name": f"answer-{number}", "hallucinated": text == FALSE}) + "\n"
            for number, text in enumerate(texts)
        )
    )
    answers = str(an_archive(tmp_path, *lines))
    return ["--answers", answers, "--gold", str(gold), "--resamples", "20"]


def test_thresholds_are_written_for_the_settings_of_other_commands(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "thresholds.yaml"
    assert main(["calibrate", *labelled, "--precision", "0.9", "--output", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "engine shop-0" in printed
    assert "engine shop-1" in printed
    assert printed.endswith(f"{file}\n")
    written = yaml.safe_load(file.read_text())
    assert sorted(written) == ["claim_threshold", "low_grounded_threshold"]
    assert written["low_grounded_threshold"] == [0, "shop-0=0.0", "shop-1=0.0"]
    threshold, *of_engines = written["claim_threshold"]
    assert 0 < threshold < 1
    assert [each.split("=") for each in of_engines] == [
        ["shop-0", str(threshold)],
        ["shop-1", str(threshold)],
    ]
    assert re.search("# engine shop-1: held-out precision 1.00 [(]1.00-1.00[)], ", file.read_text())
    config = "--config", str(file)
    assert main(["evaluate", *labelled, *config]) == 0
    assert "24 of 24 unsupported answers are LOW_GROUNDED" in capsys.readouterr().out
    assert backfill(Path(labelled[1]), tmp_path / "out") == 0
    assert main(["report", str(tmp_path / "out"), *config]) == 0
    assert ["shop-1", "0", f"{threshold:g}", "24", "12"] in thresholds_of(tmp_path / "out")


def thresholds_of(output: Path) -> list[list[str]]:
    """The rows of the page's table of engines with thresholds of their own."""
    elements = parse_page((output / "report.html").read_text(encoding="utf-8")).elements
    [caption] = [each for each in elements if each.text == "Engines with thresholds of their own"]
    below = elements[elements.index(caption) :]
    rows = takewhile(lambda each: each.tag != "table", below)
    return [each.text.split() for each in rows if each.tag == "tr"][1:]


def test_answers_are_tagged_by_their_engine_s_own_threshold(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "thresholds.yaml", tmp_path / "out"
    file.write_text("claim_threshold: [0.0, shop-1=1]\nlow_grounded_threshold: {shop-0: 0.0}\n")
    assert backfill(Path(labelled[1]), output, "--config", str(file)) == 0
    summary = json.loads((output / "summary.json").read_text())
    assert summary["thresholds"] == {
        "low_grounded": 0.6,
        "claim": 0.0,
        "engines": {
            "shop-0": {"low_grounded": 0.0, "claim": 0.0},
            "shop-1": {"low_grounded": 0.6, "claim": 1.0},
        },
    }
    verdicts = Counter((each["engine"], each["verdict"]) for each in records_in(output))
    assert verdicts == {("shop-0", "GROUNDED"): 24, ("shop-1", "LOW_GROUNDED"): 24}
    capsys.readouterr()
    assert main(["report", str(output), "--claim_threshold", "shop-0=1"]) == 0
    assert thresholds_of(output) == [
        ["shop-0", "0", "1", "24", "24"],
        ["shop-1", "0.6", "1", "24", "24"],
    ]
    page = (output / "report.html").read_text()
    assert "24 verdicts resulted from other thresholds" in page


@pytest.mark.parametrize("name", ["a\nb: 1\x1b[1m", "a=b", "# tea", "0.5", " tea ", "[red]"])
def test_an_engine_may_have_any_name(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    answers, file = Path(labelled[1]), tmp_path / "thresholds.yaml"
    answers.write_text(answers.read_text().replace('"shop-1"', json.dumps(name)))
    assert main(["calibrate", *labelled, "--precision", "0.9", "--output", str(file)]) == 0
    assert "\x1b" not in capsys.readouterr().out + file.read_text()
    assert backfill(answers, tmp_path / "out", "--config", str(file)) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert sorted(summary["thresholds"]["engines"]) == sorted(["shop-0", name])
    assert "\x1b" not in (tmp_path / "out" / "report.html").read_text()


def test_an_engine_with_too_few_labels_has_the_threshold_of_all(
    tmp_path: Path, labelled: list[str]
) -> None:
    gold = Path(labelled[3])
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:25]))
    file = tmp_path / "thresholds.yaml"
    assert main(["calibrate", *labelled, "--precision", "0.9", "--output", str(file)]) == 0
    assert "# engine shop-1: that of all answers; its labels give none." in file.read_text()
    assert [
        str(each).partition("=")[0] for each in yaml.safe_load(file.read_text())["claim_threshold"]
    ][1:] == ["shop-0"]


def test_one_engine_is_calibrated_alone(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "thresholds.yaml"
    command = ["calibrate", *labelled, "--recall", "1", "--output", str(file)]
    assert main([*command, "--engine", "shop-1"]) == 0
    assert "by 24 labelled answers of the engine shop-1" in file.read_text()
    assert main([*command, "--engine", "tea"]) == 1
    assert "no labelled answer is of the engine tea" in capsys.readouterr().err


def test_a_goal_that_no_threshold_reaches_writes_nothing(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    gold = Path(labelled[3])
    gold.write_text(gold.read_text().replace("true", "false"))
    file = tmp_path / "thresholds.yaml"
    assert main(["calibrate", *labelled, "--precision", "1", "--output", str(file)]) == 1
    assert "no threshold has the wanted precision of 1" in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize(
    "few",
    [
        (
            2,
            "precision",
            "a precision of 0.8 is not shown: 0 held-out answers are flagged: label more",
        ),
        (
            18,
            "precision",
            "a precision of 0.8 is not shown: 9 held-out answers are flagged: label more",
        ),
        (
            18,
            "recall",
            "a recall of 0.8 is not shown: 9 held-out answers are unsupported: label more",
        ),
        (20, "precision", ""),
        (20, "recall", ""),
    ],
)
def test_a_goal_that_few_labels_cannot_show_writes_nothing(
    tmp_path: Path,
    labelled: list[str],
    capsys: pytest.CaptureFixture[str],
    few: tuple[int, str, str],
) -> None:
    count, goal, said = few
    gold, file = Path(labelled[3]), tmp_path / "thresholds.yaml"
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:count]))
    status = main(["calibrate", *labelled, f"--{goal}", "0.8", "--output", str(file)])
    assert (status, file.exists()) == ((1, False) if said else (0, True))
    assert said in capsys.readouterr().err


def test_it_warns_of_thresholds_that_flag_hardly_any_held_out_answer(
    tmp_path: Path, labelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["calibrate", *labelled, "--precision", "0.9"])
    printed = capsys.readouterr().out
    assert "seldom for other traffic" in printed
    assert "warning" not in printed
    lines = (an_envelope(n, answer=SUPPORTED, facts=[SUPPORTED]) for n in range(16))
    gold = tmp_path / "random.jsonl"
    # The labels have nothing to do with the scores.
    labels = ({"name": f"answer-{n}", "hallucinated": n % 4 < 2} for n in range(16))
    gold.write_text("".join(f"{json.dumps(label)}\n" for label in labels))
    answers = ["--answers", str(an_archive(tmp_path, *lines)), "--gold", str(gold)]
    main(["calibrate", *answers, "--resamples", "20", "--precision", "0.5"])
    assert "warning: all answers: the held-out" in capsys.readouterr().out


def test_labels_of_flagged_answers_alone_give_no_threshold_for_a_recall(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, file = chosen_labels(tmp_path, 10, 0), tmp_path / "thresholds.yaml"
    assert main(["calibrate", *given, "--recall", "0.8", "--output", str(file)]) == 1
    assert "recall is unknown: 10 LOW_GROUNDED answers have a label" in capsys.readouterr().err
    assert not file.exists()
    assert main(["calibrate", *given, "--precision", "0.8", "--output", str(file)]) == 0
    said = capsys.readouterr().out
    assert "warning: all answers: recall is unknown: 10 LOW_GROUNDED" in said
    assert "warning: engine shop-1: recall is unknown: 5 LOW_GROUNDED" in said
    assert "the held-out recall is below" not in said
    assert "recall —" in file.read_text()


@pytest.mark.parametrize(("goal", "value"), [("precision", "0.5"), ("recall", "0.8")])
def test_a_goal_that_held_out_answers_miss_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], goal: str, value: str
) -> None:
    """Scores that say nothing: what a threshold reaches by chance it does not reach elsewhere."""
    chance = random.Random(11)  # noqa: S311 - the same scores each time
    answers = [
        a_low(
            record_id=f"{n:064x}",
            min_claim_score=chance.random() * 0.4,
            support_score=0.5,
            facts=(a_fact(f"Lamp {n}."),),
        )
        for n in range(60)
    ]
    path = write_enriched(tmp_path, answers)
    labels = [
        {"record_id": each.record_id, "hallucinated": n % 3 == 0} for n, each in enumerate(answers)
    ]
    file = tmp_path / "thresholds.yaml"
    command = ["calibrate", "--answers", str(path), "--gold", write_gold(tmp_path, *labels)]
    assert main([*command, f"--{goal}", value, "--resamples", "20", "--output", str(file)]) == 0
    said = capsys.readouterr().out
    missed = (
        rf"warning: all answers: the held-out {goal} is 0\.\d\d, below the wanted {value}: label"
    )
    assert re.search(missed, said)
    assert file.exists()


def answers_and_model(folder: Path, right: float) -> list[str]:
    """Flags for 240 answers, and a model that knows this share of their claims.

    Unsupported answers have fewer of the words of their fact, on average.
    """
    chance = random.Random(5)  # noqa: S311 - the same answers each time
    lines, labels, log_odds = [], [], {}
    for number in range(240):
        is_false = number % 3 == 0
        words = ["lamps", "glow", "brightly", "inside", "every", "hall", "during", "winter"]
        fact = f"Number {number}: {' '.join(words)}."
        for place in chance.sample(
            range(8), chance.randint(3, 7) if is_false else chance.randint(1, 5)
        ):
            words[place] = f"things{place}"
        answer = f"{' '.join(words).capitalize()}, says number {number}."
        lines.append(an_envelope(number, answer=answer, facts=[fact]))
        labels.append({"name": f"answer-{number}", "hallucinated": is_false})
        log_odds[answer] = -2.0 if is_false == (chance.random() < right) else 2.0
    model = write_known_answers(folder / "known", log_odds)
    answers = str(an_archive(folder, *lines))
    gold = write_gold(folder, *labels)
    return ["--answers", answers, "--gold", gold, "--scorer", model, "--resamples", "20"]


def test_the_weight_of_a_model_is_fitted_with_the_thresholds_and_measured_on_the_other_half(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, file = answers_and_model(tmp_path, right=0.9), tmp_path / "thresholds.yaml"
    assert main(["calibrate", *given, "--precision", "0.7", "--output", str(file)]) == 0
    said = capsys.readouterr().out
    head, *rows = [line.split() for line in said.partition("\n\n")[0].splitlines()]
    assert head[0] == "scorer_weight"
    areas = {row[0]: float(row[1]) for row in rows}
    assert list(areas) == ["0", "0.25", "0.5", "1", "2", "4", "inf"]
    [chosen] = [row for row in rows if row[-1] == "chosen"]
    assert areas[chosen[0]] == max(areas.values()) > max(areas["0"], areas["inf"])
    assert "precision and recall: of the other half" in said
    assert "are fitted to a half with" not in said
    written = yaml.safe_load(file.read_text())
    assert list(written) == ["scorer_weight", "low_grounded_threshold", "claim_threshold"]
    assert f"{written['scorer_weight']:g}" == chosen[0]
    config = ["--config", str(file)]
    assert main(["evaluate", *given, *config]) == 0
    evaluated = capsys.readouterr().out
    assert f"words and {chosen[0]} * model" in evaluated
    assert backfill(Path(given[1]), tmp_path / "out", "--scorer", given[5], *config) == 0
    flagged = {each["answer_name"] for each in records_in(tmp_path / "out") if is_low(each)}
    false = {f"answer-{number}" for number in range(0, 240, 3)}
    assert len(flagged & false) / len(flagged) > 0.6


def is_low(record: dict[str, object]) -> bool:
    return record["verdict"] == "LOW_GROUNDED"


def test_a_model_that_knows_nothing_gets_little_weight_and_few_labels_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = answers_and_model(tmp_path, right=0.5)
    gold = Path(given[3])
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:120]))
    file = tmp_path / "thresholds.yaml"
    assert main(["calibrate", *given, "--recall", "0.5", "--output", str(file)]) == 0
    assert yaml.safe_load(file.read_text())["scorer_weight"] < 1
    said = capsys.readouterr().out
    assert "warning: all answers: a weight and two thresholds are fitted to a half with" in said


def test_an_infinite_weight_is_read(tmp_path: Path) -> None:
    file = tmp_path / "thresholds.yaml"
    given = answers_and_model(tmp_path, right=1.0)
    output = tmp_path / "evaluation.json"
    file.write_text("scorer_weight: inf\n")
    assert main(["evaluate", *given, "--config", str(file), "--output", str(output)]) == 0
    found = json.loads(output.read_bytes())
    assert found["by_weight"][-1]["auroc"]["value"] == 1.0
    assert found["answers_by_claim"]["auroc"]["value"] == 1.0
