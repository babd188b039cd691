"""Load settings from flags, the environment and a file, and report all problems."""

import shlex
from collections.abc import Iterator
from os.path import expanduser
from pathlib import Path
from typing import Annotated, Literal, get_args

import pytest

from groundwatch.launch.cli.commands import help_text
from groundwatch.launch.cli.commands.watch import ResultTarget
from groundwatch.pipeline.settings.definition import Note, Settings, settings_of
from groundwatch.pipeline.settings.kinds import (
    Checker,
    Count,
    Fraction,
    Location,
    MappedField,
    Proxy,
    RecordUrl,
    ServerAddress,
    Switch,
    Text,
)
from groundwatch.pipeline.settings.load import Loaded, describe_unknown, load


class SampleSettings(Settings, frozen=True, kw_only=True):
    """Settings of every shape.

    input: Archives.
    output: Output folder.
    claim_threshold: Lowest score.
    max_calls: Calls at most.
    alert_text: Include the text, and whatever else the alert may hold.
    tags: Tags.
    labels: Labels.
    location: Location. Default: that of the project.
    """

    input: tuple[Location, ...]
    output: Text
    claim_threshold: Fraction = 0.4
    max_calls: Count = 20
    alert_text: Switch = False
    tags: tuple[Text, ...] = ("A", "B")
    labels: tuple[MappedField, ...] = ()
    location: Literal["us", "eu"] | None = None

    def problems(self) -> Iterator[str]:
        if self.location == "eu":
            yield "--location eu: is closed"


NEEDED = ["--input", "a", "--output", "o"]


def loaded(
    *arguments: str, known: tuple[str, ...] = (), **environment: str
) -> Loaded[SampleSettings]:
    return load(SampleSettings, arguments, environment, known)


def problems_of(*arguments: str) -> list[str]:
    found = loaded(*arguments)
    names = [setting.name for setting in settings_of(SampleSettings)]
    return found.problems + describe_unknown(found.others, names)


VALUES: dict[str, tuple[str, object]] = {
    "": ("claim_threshold", 0.4),
    "--claim_threshold 0.5": ("claim_threshold", 0.5),
    "--claim_threshold=0.5": ("claim_threshold", 0.5),
    "--max_calls 2 --max_calls=3": ("max_calls", 3),
    "--output='with = and space'": ("output", "with = and space"),
    "--input b c": ("input", ("a", "b", "c")),
    "--input=b": ("input", ("a", "b")),
    "--alert_text": ("alert_text", True),
    "--alert_text=true": ("alert_text", True),
    "--alert_text=False": ("alert_text", False),
    "--tags C": ("tags", ("C",)),
}


@pytest.mark.parametrize(("arguments", "expected"), VALUES.items(), ids=VALUES)
def test_a_value_is_parsed(arguments: str, expected: tuple[str, object]) -> None:
    found = loaded(*NEEDED, *shlex.split(arguments))
    assert (found.others, found.problems) == ([], [])
    assert getattr(found.settings, expected[0]) == expected[1]


PROBLEMS = {
    "--claim_threshold -1": "--claim_threshold -1: must be a number from 0 to 1",
    "--output=": "--output '': must not be empty",
    "--input ''": "--input '': must not be empty",
    "--input": "--input needs a value: Archives.",
    "--output": "--output needs a value: Output folder.",
    "--output a b": "--output takes one value: unexpected 'b'",
    "--alert_text=yes": "--alert_text yes: must be true or false",
    "--claim_treshold 0.5": "--claim_treshold is unknown; did you mean --claim_threshold?",
    "--claim-threshold=0.5": "--claim-threshold is unknown; did you mean --claim_threshold?",
    "--claim 0.5": "--claim is unknown",
    "--zzz": "--zzz is unknown",
    "--input=b c": "unexpected argument 'c': a value follows its flag",
}


@pytest.mark.parametrize(("arguments", "expected"), PROBLEMS.items(), ids=PROBLEMS)
def test_a_problem_says_what_to_do(arguments: str, expected: str) -> None:
    assert problems_of(*NEEDED, *shlex.split(arguments)) == [expected]


def test_all_problems_are_reported_at_once() -> None:
    given = ["stray", "--claim_threshold", "2", "--max_calls", "--bogus", "7", "--output", ""]
    assert problems_of(*given) == [
        "--input is missing: Archives.",
        "--max_calls needs a value: Calls at most.",
        "--output '': must not be empty",
        "--claim_threshold 2: must be a number from 0 to 1",
        "unexpected argument 'stray': a value follows its flag",
        "--bogus is unknown",
    ]


def test_other_arguments_keep_their_order() -> None:
    others = loaded(*NEEDED, "--runner=X", "--alert_text", "--jobs", "3").others
    assert others == ["--runner=X", "--jobs", "3"]


def test_a_flag_wins_over_the_environment_over_the_file_over_the_default(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("claim_threshold: 0.1\nmax_calls: 1\noutput: file\ninput: [a]\n")
    found = loaded(
        *("--config", str(file), "--claim_threshold=0.3"),
        GROUNDWATCH_CLAIM_THRESHOLD="0.2",
        GROUNDWATCH_MAX_CALLS="2",
    )
    assert found.problems == []
    settings = found.settings
    assert (settings.claim_threshold, settings.max_calls) == (0.3, 2)
    assert (settings.output, settings.tags) == ("file", ("A", "B"))


def test_the_environment_names_the_file_and_lists_values_by_spaces(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("output: file\n")
    found = loaded(GROUNDWATCH_CONFIG=str(file), GROUNDWATCH_INPUT="a b")
    assert found.problems == []
    assert (found.settings.input, found.settings.output) == (("a", "b"), "file")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a b", ("a", "b")),
        ("/d/my a.jsonl", ("/d/my a.jsonl",)),
        (" ./my a  ../b gs://c/d e ~/f ", ("./my a", "../b", "gs://c/d e", "~/f")),
    ],
)
def test_paths_in_a_variable_may_have_spaces(text: str, paths: tuple[str, ...]) -> None:
    found = loaded(GROUNDWATCH_INPUT=text, GROUNDWATCH_OUTPUT="o")
    assert found.problems == []
    assert found.settings.input == tuple(map(expanduser, paths))


def test_a_variable_of_one_value_may_have_spaces() -> None:
    found = loaded(*("--input", "a"), GROUNDWATCH_OUTPUT="my folder", GROUNDWATCH_ALERT_TEXT="true")
    assert found.problems == []
    assert (found.settings.output, found.settings.alert_text) == ("my folder", True)


YAML = {
    "output: 0.10": ("output", "0.10"),
    "output: yes": ("output", "yes"),
    "tags: C": ("tags", ("C",)),
    "tags: [C, D]": ("tags", ("C", "D")),
    "labels: {answer: $.a, query: $.q}": ("labels", (("answer", "$.a"), ("query", "$.q"))),
    "alert_text: true": ("alert_text", True),
    "location: null": ("location", None),
    "max_calls:": ("max_calls", 20),
    "": ("max_calls", 20),
}


@pytest.mark.parametrize(("text", "expected"), YAML.items(), ids=YAML)
def test_values_in_a_file_are_parsed_as_their_setting_asks(
    tmp_path: Path, text: str, expected: tuple[str, object]
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    given = NEEDED[:2] if text.startswith("output") else NEEDED
    found = loaded(*given, "--config", str(file))
    assert found.problems == []
    assert getattr(found.settings, expected[0]) == expected[1]


BAD_YAML = {
    "claim_treshold: 1": "line 1: claim_treshold is not a setting; did you mean claim_threshold?",
    "max_calls: 1\nmax_calls: 2": "line 2: max_calls is set twice",
    "max_calls: [1, 2]": "line 1: max_calls: takes one value, not 2",
    "max_calls: -1": "line 1: max_calls: -1: must be a whole number from 1",
    "tags: [[A]]": "line 1: tags: must be a value, a list, or a mapping of names",
    "max_calls: {a: [b]}": "line 1: max_calls: must be a value, a list, or a mapping of names",
    "max_calls: 1\nlocation: eu": "line 2: location eu: is closed",
    "config: other.yaml": "line 1: config: a file cannot name another",
}


@pytest.mark.parametrize(("text", "problem"), BAD_YAML.items(), ids=BAD_YAML)
def test_a_problem_in_a_file_is_reported_with_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    assert loaded(*NEEDED, "--config", str(file)).problems == [f"{file}, {problem}"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a: [", "line 1: cannot be read: "),
        (b"a: b\nc: \x07", "line 2: cannot be read: special characters"),
        (b"- a", ": must be a mapping of settings"),
        (b"a: b\nc: \xff", "line 2: cannot be read: invalid start byte"),
    ],
)
def test_an_unreadable_file_is_a_problem(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "settings.yaml"
    file.write_bytes(content)
    [found] = loaded(*NEEDED, "--config", str(file)).problems
    assert found.startswith(f"--config {file}")
    assert problem in found


def test_a_missing_file_is_a_problem() -> None:
    [found] = loaded(*NEEDED, "--config", "nowhere.yaml").problems
    assert found == "--config nowhere.yaml: must be an existing file of this machine"


def test_an_unknown_variable_is_a_problem() -> None:
    found = loaded(*NEEDED, GROUNDWATCH_MAX_CALS="1", GROUNDWATCH_ZZZ="1", OTHER="1")
    assert found.problems == [
        "GROUNDWATCH_MAX_CALS: is not a setting; did you mean GROUNDWATCH_MAX_CALLS?",
        "GROUNDWATCH_ZZZ: is not a setting",
    ]


class MergedSettings(Settings, frozen=True, kw_only=True):
    """A setting that has taken in another one.

    kept: What is kept.
    """

    kept: Annotated[tuple[Text, ...], Note(earlier="before")] = ("A",)


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        pytest.param([], {}, ("A",), id="neither"),
        pytest.param(["--before", "b", "c"], {}, ("b", "c"), id="the earlier one alone"),
        pytest.param(["--before", "b", "--kept", "k"], {}, ("k", "b"), id="both"),
        pytest.param(["--kept", "k"], {"GROUNDWATCH_BEFORE": "b c"}, ("k", "b", "c"), id="mixed"),
        pytest.param(
            ["--before", "b"], {"GROUNDWATCH_BEFORE": "c"}, ("b",), id="the flag wins over its own"
        ),
        pytest.param([], {"GROUNDWATCH_CONFIG": "{file}"}, ("f", "g"), id="file"),
    ],
)
def test_the_earlier_name_of_a_setting_adds_values(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], expected: tuple[str, ...]
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("before: [f, g]\n")
    variables = {name: text.format(file=file) for name, text in environment.items()}
    found = load(MergedSettings, arguments, variables)
    assert (found.others, found.problems, found.settings.kept) == ([], [], expected)


def test_the_problem_of_a_value_names_the_earlier_name_where_it_was_given() -> None:
    found = load(MergedSettings, ["--before", "", "--kept", "k"], {})
    assert found.problems == ["--before '': must not be empty"]


def test_an_empty_variable_counts_as_not_set() -> None:
    found = loaded(GROUNDWATCH_INPUT="", GROUNDWATCH_OUTPUT="o", GROUNDWATCH_MAX_CALLS="")
    assert found.problems == ["--input is missing: Archives."]
    assert found.settings.max_calls == 20


def test_settings_of_other_commands_are_ignored_outside_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("drain_s: 1\n")
    found = loaded(*NEEDED, "--config", str(file), known=("drain_s",), GROUNDWATCH_DRAIN_S="2")
    assert found.problems == []
    assert loaded(*NEEDED, "--drain_s=1", known=("drain_s",)).others == ["--drain_s=1"]


KUBERNETES = [
    *("GROUNDWATCH_SERVICE_HOST", "GROUNDWATCH_SERVICE_PORT", "GROUNDWATCH_SERVICE_PORT_HTTP"),
    *("GROUNDWATCH_PORT", "GROUNDWATCH_PORT_8080_TCP", "GROUNDWATCH_PORT_8080_TCP_ADDR"),
    *("GROUNDWATCH_CHECKER_SERVICE_HOST", "GROUNDWATCH_CHECKER_PORT_8080_TCP_PROTO"),
]


def test_the_home_folder_is_found_where_a_shell_leaves_the_tilde(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    parse = get_args(Location)[1].parse
    assert parse("~/out") == "/home/ada/out"
    assert parse("gs://b/~/out") == "gs://b/~/out"


def test_variables_that_kubernetes_sets_for_a_service_are_ignored() -> None:
    """Source: https://kubernetes.io/docs/concepts/services-networking/service/."""
    assert loaded(*NEEDED, **dict.fromkeys(KUBERNETES, "tcp://10.0.0.1:8080")).problems == []


def test_help_describes_each_flag_with_its_range_and_default() -> None:
    assert help_text(SampleSettings).splitlines()[:17] == [
        "Sample:",
        "  --input PATH ... (required)",
        "      Archives.",
        "  --output TEXT (required)",
        "      Output folder.",
        "  --claim_threshold NUMBER",
        "      Lowest score. Range: from 0 to 1. Default: 0.4.",
        "  --max_calls N",
        "      Calls at most. Default: 20.",
        "  --alert_text",
        "      Include the text, and whatever else the alert may hold.",
        "  --tags TEXT ...",
        "      Tags. Default: A B.",
        "  --labels FIELD=JSONPATH ...",
        "      Labels.",
        "  --location us|eu",
        "      Location. Default: that of the project.",
    ]


class AddressSettings(Settings, frozen=True, kw_only=True):
    """Settings that are addresses.

    checker: Checker.
    proxy: Proxy.
    results_to: Tools.
    record_url: Template.
    pubsub_address: Server.
    """

    checker: Checker | None = None
    proxy: Proxy | None = None
    results_to: tuple[ResultTarget, ...] = ()
    record_url: RecordUrl | None = None
    pubsub_address: ServerAddress | None = None


@pytest.mark.parametrize(
    "arguments",
    [
        ["--checker", "http://user:pass/w@rd@127.0.0.1:1"],
        ["--proxy=http://user:pass w@rd@127.0.0.1:1"],
        ["--proxy", "user:passw@rd@proxy:3128"],
        ["--proxy", "http://proxy:1", "http://user:passw@rd@proxy:1"],
        ["--results_to", "phoenix=http://passw@rd@host"],
        ["--record_url", "https://user:passw@rd@host/{record_id}"],
        ["--pubsub_address", "user:passw@rd@host:80"],
        ["http://user:passw@rd@host"],
        ["--checker", "http://host/?key=passw@rd"],
        ["--checker", "host/score?api-key=passw"],
        ["--checker", "http://host/\n#passw"],
        ["--proxy", "http://proxy:1", "http://proxy:1/?key=passw"],
        ["--record_url", "httpx://host/{record_id}?token=passw"],
        ["https://host/?key=passw"],
    ],
    ids=" ".join,
)
def test_no_problem_quotes_the_password_or_the_query_of_an_address(arguments: list[str]) -> None:
    found = load(AddressSettings, arguments, {})
    written = "\n".join(found.problems + describe_unknown(found.others, ()))
    assert "(hidden)" in written
    assert not any(secret in written for secret in ("user", "pass", "w@", "rd@"))
