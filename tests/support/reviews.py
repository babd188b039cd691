"""A review that is served in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.waiting import wait_until


@contextmanager
def served(folder: Path, *flags: str, is_empty: bool = False) -> Iterator[str]:
    """Serve a folder in a process of its own; yield the address when its answers are there."""
    command = (sys.executable, "-m", "groundwatch", "review", str(folder), "--port", "0")
    environment = {"XDG_CACHE_HOME": str(folder.parent / "cache")}
    with subprocess.Popen(  # noqa: S603
        (*command, "--labels", str(folder.parent / "labels.jsonl"), "--labeller", "ada", *flags),
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        try:
            wait_until(lambda: "still to be read" not in httpx.get(address).text)
            wait_until(lambda: is_empty or " of 0 answers" not in httpx.get(address).text)
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


def labels_in(folder: Path) -> list[dict[str, object]]:
    """The decisions in the file of labels beside a folder."""
    lines = (folder.parent / "labels.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
