"""The table of the checker's rules names functions and constants that are there."""

from tests.benchmarks.rules import TABLE, read_rules


def test_each_rule_names_code_that_is_there() -> None:
    assert read_rules(TABLE)
