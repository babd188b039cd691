"""The log of a command on the terminal."""

import logging

import pytest

from groundwatch.launch.cli.main import TerminalFormatter

LINES = {
    "of groundwatch": (
        "groundwatch.launch.x",
        "2 files\n  are gone",
        "groundwatch: 2 files\n  are gone",
    ),
    "of Beam": (
        "apache_beam.utils.subprocess_server",
        "   WARNING: Beam is downloading\n   Destination: /x\n",
        "apache_beam: WARNING: Beam is downloading Destination: /x",
    ),
    "of a module's name that begins like ours": ("groundwatcher", "Away.", "groundwatcher: Away."),
}


@pytest.mark.parametrize("case", LINES)
def test_a_line_says_whose_it_is(case: str) -> None:
    name, message, expected = LINES[case]
    record = logging.makeLogRecord({"name": name, "levelno": logging.WARNING, "msg": message})
    assert TerminalFormatter().format(record) == expected
