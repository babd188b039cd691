"""Flink for tests, where it can be had."""

import os
from pathlib import Path

import pytest

from launch.flink import jars
from launch.flink.java import Java, find_java
from launch.flink.missing import Missing

_REQUIRED = "REQUIRE_FLINK"


def flink_java() -> Java:
    """Find Java and Flink's jars, or say why the test does not run.

    Where the environment requires Flink, as CI's does, what is missing fails the test.
    """
    try:
        return Java(program=find_java(), class_path=jars.class_path(jars.DEFAULT_FOLDER))
    except Missing as error:
        if os.environ.get(_REQUIRED):
            raise
        pytest.skip(f"Flink did not run: {error}")


def children_of(process_id: int) -> set[int]:
    """The ids of the processes that a process has started and that still run."""
    lists = Path(f"/proc/{process_id}/task").glob("*/children")
    return {int(child) for path in lists for child in path.read_text().split()}
