"""In how many processes, and in batches of which size, a run is divided."""

import multiprocessing
from pathlib import Path

import pytest

from groundwatch.launch.backfill import run_backfill
from groundwatch.launch.backfill.processes import Processes
from groundwatch.launch.engine import process_count
from groundwatch.launch.engine.process_count import (
    batch_size,
    in_worker_processes,
    useful_processes,
)
from groundwatch.pipeline.settings.config import Config
from groundwatch.transforms.grounding.settings import (
    SMALL,
    CheckSettings,
    settings_for,
    with_screen,
)
from groundwatch.transforms.rules.thresholds import EscalationRule
from tests.support.outputs import distinct_ids_in
from tests.support.own_checkers import Verbatim
from tests.support.runs import a_long_archive, backfill

_GB = 1_000_000_000
WORDS = CheckSettings()
MODEL = CheckSettings(scorer=SMALL, max_in_flight=16)
SERVER = settings_for("http://127.0.0.1:1")


def behind(first: CheckSettings, second: CheckSettings) -> CheckSettings:
    """The second one decides what the first one is uncertain of."""
    return with_screen(first, second, EscalationRule())


@pytest.mark.parametrize(
    ("check", "messages", "processors", "gigabytes", "processes"),
    [
        pytest.param(WORDS, 0, 2, 8, 1, id="nothing"),
        pytest.param(WORDS, 3_999, 2, 8, 1, id="a small archive"),
        pytest.param(WORDS, 4_000, 2, 8, 2, id="one that is worth two"),
        pytest.param(WORDS, 1_000_000, 1, 8, 1, id="one processor"),
        pytest.param(WORDS, 1_000_000, 64, 256, 64, id="all processors"),
        pytest.param(WORDS, 7_000, 64, 256, 3, id="as many as it is worth"),
        pytest.param(WORDS, 1_000_000, 8, 1, 2, id="as many as memory has room for"),
        pytest.param(WORDS, 1_000_000, 8, 0.25, 1, id="no room for two"),
        pytest.param(MODEL, 1_000_000, 4, 8, 1, id="a model, on threads"),
        pytest.param(MODEL, 1_000_000, 16, 32, 4, id="a model, many processors"),
        pytest.param(MODEL, 437, 16, 32, 2, id="a model, few messages"),
        pytest.param(
            CheckSettings(scorer=SMALL, max_in_flight=3), 10**6, 16, 32, 1, id="a model, limited"
        ),
        pytest.param(CheckSettings(scorer="mine"), 10**6, 16, 32, 1, id="a model of any size"),
        pytest.param(SERVER, 1_000_000, 64, 256, 1, id="a server"),
        pytest.param(settings_for(Verbatim()), 1_000_000, 64, 256, 1, id="a Python object"),
        pytest.param(behind(WORDS, SERVER), 1_000_000, 64, 256, 1, id="then a server"),
        pytest.param(behind(WORDS, MODEL), 1_000_000, 16, 32, 4, id="then a model"),
    ],
)
def test_processes_begin_where_they_pay_off(
    check: CheckSettings, messages: int, processors: int, gigabytes: float, processes: int
) -> None:
    memory = round(gigabytes * _GB)
    found = useful_processes(check, messages, processors=processors, memory=memory)
    assert found == processes


@pytest.mark.parametrize(
    ("check", "count", "processes"),
    [
        pytest.param(WORDS, None, 3, id="words"),
        pytest.param(WORDS, 1, 1, id="words in the worker's own"),
        pytest.param(WORDS, 5, 5, id="words in as many as its user says"),
        pytest.param(behind(WORDS, SERVER), None, 3, id="words first"),
        pytest.param(behind(SERVER, WORDS), 5, 1, id="words second"),
        pytest.param(MODEL, None, 1, id="a model"),
        pytest.param(SERVER, None, 1, id="a server"),
    ],
)
def test_a_worker_checks_by_words_in_processes(
    monkeypatch: pytest.MonkeyPatch, check: CheckSettings, count: int | None, processes: int
) -> None:
    monkeypatch.setattr(process_count, "usable_processors", lambda: 3)
    monkeypatch.setattr(process_count, "usable_memory", lambda: 8 * _GB)
    assert in_worker_processes(check, count).checkers[0].processes == processes


@pytest.mark.parametrize(
    ("check", "messages", "processes", "size"),
    [
        pytest.param(WORDS, 437, 2, 500, id="words"),
        pytest.param(WORDS, 400_000, 2, 3_000, id="no larger than in one process"),
        pytest.param(MODEL, 437, 2, 55, id="a model"),
        pytest.param(MODEL, 5, 2, 20, id="a model, few messages"),
        pytest.param(settings_for(Verbatim()), 437, 2, 55, id="a Python object"),
        pytest.param(behind(WORDS, MODEL), 437, 2, 55, id="then a model"),
        pytest.param(behind(MODEL, SERVER), 437, 2, 55, id="a model, then a server"),
        pytest.param(SERVER, 437, 2, 500, id="a server"),
    ],
)
def test_the_dearer_a_check_the_smaller_a_batch(
    check: CheckSettings, messages: int, processes: int, size: int
) -> None:
    assert batch_size(check, messages, processes, 3_000) == size


class Begun(Processes):
    """Processes that note their number and the calls at a time of each."""

    noted: list[tuple[int, int]] = []

    def __init__(self, config: Config, attempt: str, count: int) -> None:
        super().__init__(config, attempt, count)
        self.noted.append((count, config.check.max_in_flight))


@pytest.mark.parametrize(
    ("flags", "processors", "begun"),
    [
        pytest.param(["--scorer", "none"], 2, [(2, 64)], id="all processors"),
        pytest.param(["--scorer", "none"], 1, [], id="one processor"),
        pytest.param(["--scorer", "none", "--workers", "1"], 2, [], id="one, as it is said"),
        pytest.param(
            ["--scorer", "none", "--workers", "2"], 1, [(2, 128)], id="two, as it is said"
        ),
        pytest.param(
            ["--scorer", "none", "--direct_num_workers", "1"], 2, [], id="one, as Beam is told"
        ),
        pytest.param(["--scorer", "none", "--num_workers", "5"], 2, [(2, 64)], id="a remote flag"),
        pytest.param([], 2, [], id="a model"),
    ],
)
def test_a_run_uses_the_processors_by_default(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    processors: int,
    begun: list[tuple[int, int]],
) -> None:
    monkeypatch.setattr(process_count, "usable_processors", lambda: processors)
    monkeypatch.setattr(process_count, "_MESSAGES_BY_WORDS", 30)
    monkeypatch.setattr(process_count, "_FEWEST_MESSAGES", 7)
    monkeypatch.setattr(run_backfill, "Processes", Begun)
    monkeypatch.setattr(Begun, "noted", [])
    assert backfill(a_long_archive(tmp_path, 70), tmp_path / "out", *flags) == 0
    assert Begun.noted == begun
    assert len(distinct_ids_in(tmp_path / "out")) == 70


@pytest.mark.parametrize("error", [ImportError(), OSError(38, "not implemented")])
def test_one_process_runs_where_several_cannot_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(process_count, "usable_processors", lambda: 2)
    assert process_count.default_processes(WORDS, 10_000) == 2

    def fail() -> None:
        raise error

    monkeypatch.setattr(multiprocessing, "Semaphore", fail)
    assert process_count.default_processes(WORDS, 10_000) == 1
