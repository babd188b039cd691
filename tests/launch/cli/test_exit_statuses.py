"""The exit statuses: each line of the list in docs/output.md, by running its command."""

import gzip
import shlex
import shutil
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest

from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope, lines_of
from tests.support.evaluations import write_gold
from tests.support.exit_statuses_page import ENDINGS, PAGE, Ending, page_with_list
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.outputs import records_in
from tests.support.pubsub_servers import EMPTY_PULL_S, free_port
from tests.support.repository import ROOT
from tests.support.runs import an_archive, backfill
from tests.support.waiting import signal_when
from tests.support.watched import ANSWERS, SUBSCRIPTION
from tests.support.wire_faults import status

GROUNDED, LOW = "Lamps glow red at night.", "Lamps vote blue in Senegal."
CASES = [
    pytest.param(each, id=f"{each.command.partition(' ')[0]}: {end}")
    for end, endings in ENDINGS.items()
    for each in endings
    if not each.tested_by
]


AWAY = status(503, "UNAVAILABLE")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives, and outputs: of a finished run, and of runs whose checks all, or partly, failed."""
    folder = tmp_path_factory.mktemp("made")
    lines = [an_envelope(n, answer=GROUNDED if n % 2 else LOW) for n in range(20)]
    answers = an_archive(folder, *lines)
    an_archive(folder, b"no answer", name="unreadable.jsonl")
    (folder / "damaged.jsonl.gz").write_bytes(gzip.compress(lines_of(*lines))[:-4])
    assert backfill(answers, folder / "done", "--scorer", "none") == 0
    for name, fault in (("failed", always(AWAY)), ("partly", by_answer({LOW: AWAY}))):
        with FaultServer(fault) as server:
            flags = "--checker", server.address, "--max_attempts", "1"
            assert backfill(answers, folder / name, *flags) == 3
    labels = [
        {"record_id": each["record_id"], "hallucinated": each["verdict"] == "LOW_GROUNDED"}
        for each in records_in(folder / "done")
    ]
    write_gold(folder, *labels)
    return folder


@pytest.fixture
def names(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """What the command lines of the table name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outputs = "done", "failed", "partly"
    for name in outputs:
        shutil.copytree(made / name, tmp_path / name)
    with (
        FaultServer() as server,
        FaultServer(by_answer({LOW: AWAY})) as failing,
        FaultServer(always(status(403, "PERMISSION_DENIED"))) as refusing,
        FakePubSub(ServerSettings(empty_pull_s=EMPTY_PULL_S)) as pubsub,
    ):
        pubsub.create(ANSWERS, SUBSCRIPTION)
        yield {
            **{name: str(tmp_path / name) for name in (*outputs, "new", "missing")},
            "answers": str(made / "answers.jsonl"),
            "unreadable": str(made / "unreadable.jsonl"),
            "damaged": str(made / "damaged.jsonl.gz"),
            "gold": str(made / "gold.jsonl"),
            "id": records_in(made / "done")[0]["record_id"],
            "grounded": GROUNDED,
            "low": LOW,
            "server": server.address,
            "failing": failing.address,
            "refusing": refusing.address,
            "pubsub": pubsub.address,
            "subscription": SUBSCRIPTION,
            "port": str(free_port()),
        }


@pytest.mark.parametrize("ending", CASES)
def test_a_command_ends_with_the_status_of_the_table(
    names: dict[str, str], capfd: pytest.CaptureFixture[str], ending: Ending
) -> None:
    done = Path(names["done"])
    if "{broken}" in ending.command:
        [file] = done.glob("enriched/*/*.avro")
        file.write_bytes(file.read_bytes()[:-20])
    if "{differing}" in ending.command:
        (done / "summary.json").unlink()
    given = names | {"broken": names["done"], "differing": names["done"]}
    arguments = [each.format_map(given) for each in shlex.split(ending.command)]
    failing = patch(ending.failing, side_effect=ending.error) if ending.failing else nullcontext()
    if ending.stop:
        # The command handles it.
        before = signal.getsignal(ending.stop)
        signal_when(lambda: signal.getsignal(ending.stop or 0) is not before, ending.stop)
    with failing:
        assert main(arguments) == ending.status
    assert "Traceback" not in capfd.readouterr().err


def test_the_page_has_the_list() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with_list(page), (
        "after a change of exit statuses: python -m tests.support.exit_statuses_page"
    )


def test_what_the_table_cannot_run_has_a_test() -> None:
    named = {each.tested_by for endings in ENDINGS.values() for each in endings} - {""}
    for path, function in (name.split("::") for name in named):
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8")


def test_the_list_has_each_command() -> None:
    listed = {each.command.partition(" ")[0] for endings in ENDINGS.values() for each in endings}
    assert listed == set(all_commands())
