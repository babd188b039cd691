"""Labels by people."""

import gzip
from pathlib import Path

import pytest

from groundwatch.launch.quality.evaluate.labels import read_labels
from groundwatch.schemas.answer import Label, LabelSpan


def read(folder: Path, text: str) -> tuple[dict[str, Label], list[str]]:
    path, problems = folder / "gold.jsonl", list[str]()
    path.write_text(text, encoding="utf-8")
    return read_labels("gold", [str(path)], problems), problems


def labels_of(folder: Path, text: str) -> dict[str, Label]:
    labels, problems = read(folder, text)
    assert problems == []
    return labels


@pytest.mark.parametrize(
    ("line", "is_unsupported"),
    [
        ('{"name": "a", "hallucinated": true, "spans": []}', True),
        ('{"name": "a", "hallucinated": false}', False),
        ('{"id": "a", "answer": "text", "grounded": true}', False),
        ('{"record_id": "a", "grounded": false}', True),
        ('{"answer_name": "a", "label": "LOW_GROUNDED"}', True),
        ('{"id": "a", "label": "GROUNDED"}', False),
        ('{"id": "a", "label": "Hallucinated"}', True),
        ('{"id": "a", "label": "supported"}', False),
    ],
)
def test_a_label_names_the_answer_and_its_support(
    tmp_path: Path, line: str, is_unsupported: bool
) -> None:
    [(name, label)] = labels_of(tmp_path, line).items()
    assert (name, label.is_unsupported) == ("a", is_unsupported)


@pytest.mark.parametrize("name", ["labels.csv", "labels.csv.gz", "labels.tsv"])
def test_rows_of_csv_are_labels(tmp_path: Path, name: str) -> None:
    rows = "name,hallucinated,label\na,TRUE,\nb,false,\nc,,unsupported\n"
    content = (rows.replace(",", "\t") if "tsv" in name else rows).encode()
    path, problems = tmp_path / name, list[str]()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    labels = read_labels("gold", [str(path)], problems)
    assert problems == []
    found = {name: label.is_unsupported for name, label in labels.items()}
    assert found == {"a": True, "b": False, "c": True}


def test_a_row_of_csv_that_is_no_label_is_named(tmp_path: Path) -> None:
    path, problems = tmp_path / "labels.csv", list[str]()
    path.write_text("name,quality\na,good\n")
    assert not read_labels("gold", [str(path)], problems)
    assert problems[0].startswith(f"--gold {path}")
    assert "does not say whether the answer is supported" in problems[0]


def test_a_decision_goes_before_a_label_without_a_time(tmp_path: Path) -> None:
    decision = '{"record_id": "a", "span": null, "label": "supported", "labeller": "b", "time": ""}'
    labels = labels_of(tmp_path, f'{decision}\n{{"record_id": "a", "grounded": false}}\n')
    assert not labels["a"].is_unsupported


def test_blank_lines_are_skipped(tmp_path: Path) -> None:
    text = '{"id": "a", "grounded": true}\n\n{"id": "b", "grounded": false}\n'
    labels = labels_of(tmp_path, text)
    assert {name: each.is_unsupported for name, each in labels.items()} == {"a": False, "b": True}


@pytest.mark.parametrize(
    ("spans", "read"),
    [
        ("[]", ()),
        ("null", None),
        ('[[0, 4, "Conflict"], [7, 9]]', (LabelSpan(0, 4), LabelSpan(7, 9))),
    ],
)
def test_spans_say_what_is_not_supported(
    tmp_path: Path, spans: str, read: tuple[LabelSpan, ...] | None
) -> None:
    line = f'{{"id": "a", "hallucinated": true, "spans": {spans}}}'
    assert labels_of(tmp_path, line)["a"].spans == read


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "line 2: is not a JSON object"),
        ('{"id": "b"', "line 2: is not a JSON object"),
        ('{"grounded": true}', "line 2: names no answer"),
        ('{"id": 7, "grounded": true}', "line 2: names no answer"),
        ('{"id": "b"}', "line 2: does not say whether"),
        ('{"id": "b", "label": true}', "line 2: does not say whether"),
        ('{"id": "b", "label": 1}', "line 2: does not say whether"),
        ('{"id": "b", "label": "maybe"}', "line 2: does not say whether"),
        ('{"id": "b", "hallucinated": "yes"}', "line 2: does not say whether"),
        (
            '{"id": "b", "grounded": false, "spans": [["x", 1]]}',
            'line 2: its "spans" are not a list',
        ),
        ('{"id": "b", "grounded": false, "spans": 7}', 'line 2: its "spans" are not a list'),
    ],
)
def test_an_ambiguous_label_is_rejected(tmp_path: Path, line: str, words: str) -> None:
    _, [problem] = read(tmp_path, f'{{"id": "a", "grounded": true}}\n{line}\n')
    assert words in problem
