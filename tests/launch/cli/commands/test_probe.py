"""`groundwatch probe`: what a checker sees in a person's own texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.results.probe import read_passages
from groundwatch.launch.results.probe.show_probe import excerpts
from groundwatch.transforms.changes.change_kind import ChangeKind
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.entailment_models import write_model
from tests.support.fault_server import FaultServer, always
from tests.support.own_checkers import Lenient, Strict, named
from tests.support.runs import an_archive, backfill

PASSAGES = [
    "The Basic plan includes three seats and costs $12 per month. Returns are free for members.",
    "The Pro plan includes 24 projects and is billed on 5 March 2024. Support answers in 2 days.",
    "The head office is in Hamburg. The lamp was designed by Robert Maillart.",
    "The warehouse is in Rotterdam. Members can book the court if they have paid the fee.",
    "The red lamp is brighter than the blue lamp. The guarantee of the lamp lasts 3 years.",
]


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    """A text of five passages."""
    path = tmp_path / "manual.txt"
    path.write_text("\n\n".join(PASSAGES), encoding="utf-8")
    return path


def probe(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> Any:
    """Return the JSON of a probe."""
    assert main(["probe", *arguments, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_the_embedded_checker_sees_values_and_denials_and_no_names(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, str(manual))
    assert (found["passages"], found["statements"], found["english"]) == (5, 10, 10)
    assert list(found["changed"]) == list(ChangeKind)
    assert all(each["made"] for each in found["changed"].values())
    assert found["calls"] == {"local": 10 + sum(each["made"] for each in found["changed"].values())}
    for kind in ("number", "date", "unit"):
        assert found["changed"][kind]["share"]["value"] == 1.0
        assert found["changed"][kind]["examples"] == []
    for kind in ("name", "role", "merged"):
        assert found["changed"][kind]["share"]["value"] == 0.0
    unchanged = found["unchanged"]
    assert (unchanged["made"], unchanged["flagged"], unchanged["share"]["value"]) == (10, 0, 0.0)
    assert 0.0 < unchanged["share"]["high"] < 0.4


def test_a_checker_that_passes_all_catches_nothing(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, str(manual), "--checker", named(Lenient))
    for tally in found["changed"].values():
        assert (tally["flagged"], tally["passed"]) == (0, tally["made"])
        assert len(tally["examples"]) == min(tally["made"], 3)
        for example in tally["examples"]:
            assert example["original"] != example["checked"]
            assert any(example["original"] in passage for passage in PASSAGES)
    assert found["unchanged"]["flagged"] == 0


def test_a_checker_that_flags_all_flags_what_is_unchanged(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, str(manual), "--checker", named(Strict))
    assert {tally["share"]["value"] for tally in found["changed"].values()} == {1.0}
    assert found["unchanged"]["share"]["value"] == 1.0
    for example in found["unchanged"]["examples"]:
        assert example["original"] == example["checked"]


def test_of_two_checkers_the_second_one_decides_what_the_first_is_uncertain_of(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = "--escalate", named(Lenient), "--escalate_share", "0"
    found = probe(capsys, str(manual), *pair)
    assert found["changed"]["number"]["flagged"] == 0
    made = 10 + sum(each["made"] for each in found["changed"].values())
    assert found["calls"]["local"] == made
    assert 0 < found["calls"][named(Lenient)] < made
    assert found["unchanged"]["flagged"] == 0


def test_words_model_and_both_are_compared_in_one_call_and_as_each_alone(
    manual: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer = "--scorer", write_model(tmp_path / "both_red")
    compared = probe(capsys, str(manual), *scorer)["by_weight"]
    alone = {
        "words": probe(capsys, str(manual)),
        "words and 1 * model": probe(capsys, str(manual), *scorer),
        "model": probe(capsys, str(manual), *scorer, "--scorer_weight=inf"),
    }
    assert alone["words"]["by_weight"] == {}
    kinds = {"unchanged", "changed"}
    assert compared == {name: {kind: each[kind] for kind in kinds} for name, each in alone.items()}
    assert main(["probe", str(manual), *scorer]) == 0
    printed = capsys.readouterr().out
    assert "share flagged by" in printed
    assert "\nunchanged, wrongly  0.00" in printed


def test_the_table_says_what_is_made_caught_and_missed_with_examples(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", str(manual)]) == 0
    screen = capsys.readouterr()
    lines = [line.split() for line in screen.out.splitlines()]
    assert [
        "changed",
        "made",
        "caught",
        "missed",
        "share",
        "caught",
        "(95",
        "%",
        "interval)",
    ] in lines
    assert ["role", "2", "0", "2", "0.00", "(0.00", "to", "0.80)"] in lines
    assert "unchanged, flagged wrongly: 0 of 10  0.00 (0.00 to 0.34)" in screen.out
    assert "name: 4 missed, such as" in screen.out
    assert (
        "  original  The head office is in Hamburg.\n  changed   The head office is in Rotterdam.\n"
    ) in "\n".join(line.rstrip() for line in screen.out.splitlines())
    assert screen.err.startswith("groundwatch: 10 unchanged and ")
    assert "changed statements are checked by local, most with one call each" in screen.err
    assert max(map(len, screen.out.splitlines())) <= 100


def test_a_statement_that_is_not_in_english_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "manual.txt"
    path.write_text(f"{PASSAGES[0]}\n\nDie Lampe hat drei Jahre Garantie und kostet 12 Euro.\n")
    assert main(["probe", str(path)]) == 0
    named = "1 not in English, such as “Die Lampe hat drei Jahre Garantie und k…”, in which only"
    assert f"{named} number, date, unit change" in " ".join(capsys.readouterr().out.split())


def test_texts_do_not_control_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "manual.txt"
    path.write_text("The lamp [red]glows for 3 years\x1b]0;x\x07 in the house.\n\n" + PASSAGES[0])
    assert main(["probe", str(path), "--checker", named(Strict)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_wanted_shares_that_are_reached_are_green(manual: Path) -> None:
    wanted = ["--fail_below", "number=.8", "--fail_below", "date=1", "name=0"]
    assert main(["probe", str(manual), *wanted]) == 0


def test_a_share_below_the_wanted_one_is_red(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--fail_below", "number=.8", "--fail_below", "role=.1"]
    assert main(["probe", str(manual), *wanted]) == 4
    screen = capsys.readouterr()
    assert screen.err.endswith(
        "groundwatch: role: 0 of 2 were caught (0.0%), less than --fail_below role=0.1\n"
    )
    assert "number:" not in screen.err
    assert "share caught" in screen.out


def test_a_kind_of_which_no_case_was_made_is_red(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "manual.txt"
    path.write_text("The lamp glows for 3 years.")
    assert main(["probe", str(path), "--fail_below", "role=0", "number=1"]) == 4
    assert capsys.readouterr().err.endswith(
        "groundwatch: role: no case was made: --fail_below role=0 needs at least one\n"
    )


def test_the_wanted_shares_may_stand_in_a_file(tmp_path: Path, manual: Path) -> None:
    config = tmp_path / "gate.yaml"
    config.write_text("fail_below:\n  role: 0.5\n")
    assert main(["probe", str(manual), "--config", str(config)]) == 4


def test_cases_limit_how_many_calls_there_are(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, str(manual), "--cases", "1")
    assert found["calls"] == {"local": 9}
    assert {each["made"] for each in found["changed"].values()} == {1}
    assert found["unchanged"]["made"] == 1


def test_archives_and_output_folders_give_their_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (an_envelope(number, facts=PASSAGES) for number in range(3))
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    assert backfill(archive, output) == 0
    capsys.readouterr()
    of_archive = probe(capsys, str(archive))
    assert of_archive["passages"] == 5
    assert probe(capsys, str(output)) == of_archive
    rows = tmp_path / "rows.csv"
    rows.write_text('reply,passage\nLamps glow.,"The lamp glows for 3 years."\n')
    mapped = "--map", "answer=$.reply", "--map", "facts=$.passage"
    assert probe(capsys, str(rows), *mapped)["statements"] == 1


def test_of_many_answers_the_same_ones_are_read_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(read_passages, "_MOST_ANSWERS", 4)
    lines = [an_envelope(n, facts=[f"The lamp {n} glows for {n + 2} years."]) for n in range(20)]
    some, turned = (
        probe(capsys, str(an_archive(tmp_path, *each, name=name)))
        for name, each in (("a.jsonl", lines), ("b.jsonl", lines[::-1]))
    )
    assert some == turned
    assert some["passages"] == 4


def test_messages_that_cannot_be_read_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, b'{"unknown": 1}')
    assert main(["probe", str(archive)]) == 1
    assert "nothing in the input could be read" in capsys.readouterr().err


def test_a_damaged_archive_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.avro"
    path.write_bytes(b"no Avro")
    assert main(["probe", str(path)]) == 1
    assert "the probe failed: damaged files" in capsys.readouterr().err


def test_a_text_without_sentences_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "headings.txt"
    path.write_text("Opening hours\n\nPrices\n")
    assert main(["probe", str(path)]) == 1
    assert "2 passages, and no sentence in them that can be checked" in capsys.readouterr().err


def test_a_text_that_is_not_utf_8_is_a_wrong_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "manual.txt"
    path.write_bytes(b"The caf\xe9 opens at 9.")
    assert main(["probe", str(path)]) == 2
    assert f"FACTS {path}: cannot be read: 'utf-8' codec" in capsys.readouterr().err


def test_a_checker_that_cannot_be_called_is_reported(
    manual: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(manual), "--cases", "1", "--max_attempts", "1"]
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert main(["probe", *given, "--checker", server.address]) == 1
    assert "the probe failed: no statement could be checked: " in capsys.readouterr().err
    with FaultServer(always(wire_faults.status(403, "PERMISSION_DENIED"))) as server:
        assert main(["probe", *given, "--checker", server.address]) == 1
    assert "the probe failed: " in capsys.readouterr().err


def test_excerpts_have_the_first_difference_in_them() -> None:
    before = (
        "The guarantee of all lamps of the series A and of all others of the series B lasts for 3"
    )
    for original, changed in (
        ("Lamps glow red.", "Lamps glow blue."),
        (f"{before} years.", f"{before} weeks."),
        (
            f"{before} years, and so on, and on, and on.",
            f"{before} weeks, and so on, and on, and on.",
        ),
        (f"{before} years", f"{before} years, but only on weekdays"),
    ):
        own, its = excerpts(original, changed)
        assert own != its
        assert max(len(own), len(its)) <= 88
