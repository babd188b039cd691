"""The measure of the checker's rules names code and tables of the tests that are there."""

from tests.benchmarks.rule_cases import edits, forms
from tests.benchmarks.rules import TABLE, read_rules


def test_each_rule_names_code_that_is_there() -> None:
    assert read_rules(TABLE)


def test_each_table_of_the_tests_gives_cases() -> None:
    names = {name for name, _, _ in (*forms(), *edits())}
    assert len(names) == 16
