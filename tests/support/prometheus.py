"""Prometheus: its tool, and a server that scrapes one address and evaluates the alert rules."""

import json
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.support.commands import ChildProcess
from tests.support.optional_tools import PROMETHEUS, PROMTOOL
from tests.support.pubsub_servers import free_port
from tests.support.waiting import wait_until

_START_WITHIN_S = 120.0
_REPLY_WITHIN_S = 60.0


def promtool(*arguments: str) -> None:
    """Let promtool check or test files."""
    command = [str(PROMTOOL), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - the tester's own
    assert done.returncode == 0, done.stdout + done.stderr


def parse_queries(queries: Iterable[str], folder: Path) -> None:
    """Let promtool parse queries, as rules in a file that this writes."""
    rules = [{"record": f"query:{n}", "expr": query} for n, query in enumerate(queries)]
    path = folder / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    promtool("check", "rules", str(path))


class PrometheusServer:
    """A running server, and what it answers."""

    def __init__(self, address: str) -> None:
        self._address = address

    def get(self, path: str, **parameters: str) -> Any:
        """Ask the HTTP interface; return the data of the response."""
        query = urllib.parse.urlencode(parameters)
        url = f"{self._address}/api/v1/{path}?{query}"
        with urllib.request.urlopen(url, timeout=_REPLY_WITHIN_S) as response:  # noqa: S310 - ours
            return json.load(response)["data"]

    def query(self, expression: str) -> list[Any]:
        """Evaluate an expression now."""
        result: list[Any] = self.get("query", query=expression)["result"]
        return result

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            return bool(self.get("status/runtimeinfo"))
        except OSError:
            return False


@contextmanager
def prometheus(target: str, rules: Path) -> Iterator[PrometheusServer]:
    """Scrape HOST:PORT every second while a `with` block lasts."""
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "groundwatch", "static_configs": [{"targets": [target]}]}],
    }
    address = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prometheus.yml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        flags = [f"--config.file={path}", f"--storage.tsdb.path={folder}/data"]
        with ChildProcess(
            [str(PROMETHEUS), *flags, f"--web.listen-address={address}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            server = PrometheusServer(f"http://{address}")
            wait_until(server.is_ready, _START_WITHIN_S)
            yield server
