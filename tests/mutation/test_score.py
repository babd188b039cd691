"""What `make mutants` prints."""

from tests.mutation.score import score

RESULTS = """
    groundwatch.transforms.rules.limits.x_count_tokens__mutmut_1: killed
    groundwatch.transforms.rules.limits.x_count_tokens__mutmut_2: survived
    groundwatch.transforms.rules.limits.x_count_tokens__mutmut_3: timeout
    groundwatch.transforms.rules.sampling.xǁSamplingRuleǁrate_of__mutmut_1: no tests
    groundwatch.transforms.rules.no_data.x_record_arrivals__mutmut_1: not checked
"""


def test_each_module_has_its_row_and_what_nobody_noticed_is_named() -> None:
    heading, *rows = [line.split() for line in score(RESULTS.splitlines())]
    assert heading == ["module", "changes", "noticed"]
    assert rows == [
        ["groundwatch.transforms.rules.limits", "3", "2", "66.7%"],
        ["groundwatch.transforms.rules.sampling", "1", "0", "0.0%"],
        ["all", "4", "2", "50.0%"],
        ["survived:", "groundwatch.transforms.rules.limits.x_count_tokens__mutmut_2"],
        ["no", "tests:", "groundwatch.transforms.rules.sampling.xǁSamplingRuleǁrate_of__mutmut_1"],
    ]


def test_where_nothing_was_changed_nothing_was_missed() -> None:
    _, row = score([])
    assert row.split() == ["all", "0", "0", "100.0%"]
