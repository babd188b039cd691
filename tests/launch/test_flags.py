"""Reading a command line: every fault at once, each with what to do."""

import pytest

from launch.flags import help_lines, read_all_flags, read_flags
from pipeline.option import Option, fraction, whole

OPTIONS = (
    Option(name="input", meaning="archives", takes_many=True, is_required=True),
    Option(name="output", meaning="output folder", is_required=True),
    Option(name="claim_threshold", meaning="0..1, the least score", read=fraction, default=0.4),
    Option(name="max_calls", meaning="calls at most", read=whole, default=20),
    Option(name="alert_text", meaning="tell the text", is_switch=True, default=False),
    Option(name="tags", meaning="tags", takes_many=True, at_most=3, default=("A", "B")),
)
NEEDED = ["--input", "a", "--output", "o"]


def problems_of(*arguments: str) -> list[str]:
    _, problems = read_all_flags(arguments, OPTIONS)
    return problems


def value_of(name: str, *arguments: str) -> object:
    values, others, problems = read_flags([*NEEDED, *arguments], OPTIONS)
    assert (others, problems) == ([], [])
    return values[name]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        pytest.param("claim_threshold", [], 0.4, id="default"),
        pytest.param("claim_threshold", ["--claim_threshold", "0.5"], 0.5, id="value behind"),
        pytest.param("claim_threshold", ["--claim_threshold=0.5"], 0.5, id="value after equals"),
        pytest.param(
            "max_calls", ["--max_calls", "2", "--max_calls=3"], 3, id="last of a repeated flag"
        ),
        pytest.param("output", ["--output=with = and space"], "with = and space", id="any text"),
        pytest.param("input", ["--input", "b", "c"], ("a", "b", "c"), id="several, flag repeated"),
        pytest.param("input", ["--input=b"], ("a", "b"), id="several, after equals"),
        pytest.param("alert_text", [], False, id="switch off"),
        pytest.param("alert_text", ["--alert_text"], True, id="switch on"),
        pytest.param("tags", [], ("A", "B"), id="default of several"),
        pytest.param("tags", ["--tags", "C"], ("C",), id="several replace the default"),
    ],
)
def test_a_value_is_read(name: str, arguments: list[str], expected: object) -> None:
    assert value_of(name, *arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            ["--claim_threshold", "-1"],
            "--claim_threshold -1: must be a number from 0 to 1",
            id="negative number",
        ),
        pytest.param(
            ["--claim_threshold", "nan"],
            "--claim_threshold nan: must be a number from 0 to 1",
            id="no number at all",
        ),
        pytest.param(
            ["--max_calls", "0"], "--max_calls 0: must be a whole number from 1", id="zero"
        ),
        pytest.param(
            ["--max_calls", "٣"], "--max_calls ٣: must be a whole number from 1", id="other digits"
        ),
        pytest.param(["--output="], "--output '': must not be empty", id="empty value"),
        pytest.param(["--input", ""], "--input '': must not be empty", id="empty among several"),
        pytest.param(["--input"], "--input needs a value: archives", id="several without any"),
        pytest.param(["--output"], "--output needs a value: output folder", id="without a value"),
        pytest.param(
            ["--output", "a", "b"],
            "--output takes one value, but 'b' stands behind it, too",
            id="one value too many",
        ),
        pytest.param(
            ["--alert_text=true"],
            "--alert_text takes no value, but 'true' stands behind it",
            id="switch with a value",
        ),
        pytest.param(
            ["--alert_text", "true"],
            "--alert_text takes no value, but 'true' stands behind it",
            id="switch with a value behind",
        ),
        pytest.param(
            ["--tags", "C", "D", "E", "F"], "--tags takes at most 3 values, not 4", id="too many"
        ),
        pytest.param(
            ["--claim_treshold", "0.5"],
            "--claim_treshold is unknown; did you mean --claim_threshold?",
            id="mistyped",
        ),
        pytest.param(
            ["--claim-threshold=0.5"],
            "--claim-threshold is unknown; did you mean --claim_threshold?",
            id="with a dash",
        ),
        pytest.param(["--claim", "0.5"], "--claim is unknown", id="an abbreviation is no flag"),
        pytest.param(["--zzz"], "--zzz is unknown", id="nothing near"),
        pytest.param(["--input=b", "c"], "'c' stands behind no flag", id="stray after equals"),
    ],
)
def test_a_fault_is_told_with_what_to_do(arguments: list[str], expected: str) -> None:
    assert problems_of(*NEEDED, *arguments) == [expected]


def test_all_faults_are_told_at_once() -> None:
    given = ["stray", "--claim_threshold", "2", "--max_calls", "--bogus", "7", "--output", ""]
    assert problems_of(*given) == [
        "--input is missing: archives",
        "--output '': must not be empty",
        "--claim_threshold 2: must be a number from 0 to 1",
        "--max_calls needs a value: calls at most",
        "'stray' stands behind no flag",
        "--bogus is unknown",
    ]


def test_what_is_no_flag_of_the_command_is_handed_on_in_its_order() -> None:
    _, others, _ = read_flags([*NEEDED, "--runner=X", "--alert_text", "--jobs", "3"], OPTIONS)
    assert others == ["--runner=X", "--jobs", "3"]


def test_help_tells_each_flag_with_its_default() -> None:
    assert list(help_lines(OPTIONS)) == [
        "  --input (required)\n      archives",
        "  --output (required)\n      output folder",
        "  --claim_threshold\n      0..1, the least score (default 0.4)",
        "  --max_calls\n      calls at most (default 20)",
        "  --alert_text\n      tell the text",
        "  --tags\n      tags (default A B)",
    ]
