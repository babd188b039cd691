"""What the library says when a check fails: arguments, not flags, and soon."""

import ast
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from groundwatch import CheckSettings, check, check_many
from groundwatch.transforms.grounding.errors import CheckFailed, Unavailable
from groundwatch.transforms.grounding.settings import GoogleAccount, RetrySettings, settings_for
from tests.support import wire_faults
from tests.support.fault_server import FaultServer, always, in_turn
from tests.support.network import unset_network
from tests.support.repository import ROOT, product_files
from tests.support.wire_faults import Fault

FACT = "The lamp has a warranty of two years."
CLOSED = "http://127.0.0.1:9"
ONE_TRY = RetrySettings(max_attempts=1, timeout_s=0.3)
SEVERAL_TRIES = RetrySettings(max_attempts=5)
_FLAG = re.compile(r"--([a-z]\w*)")
REMOTE = CheckSettings(checker=CLOSED, endpoint=CLOSED, retries=ONE_TRY)


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    unset_network(monkeypatch)
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)


def failure_of(checker: Any, **arguments: Any) -> CheckFailed:
    with pytest.raises(CheckFailed) as failed:
        check(FACT, [FACT], checker=checker, **arguments)
    return failed.value


def with_account(**account: str) -> CheckSettings:
    return replace(REMOTE, account=GoogleAccount(**account))


def no_key(folder: Path) -> CheckSettings:
    (folder / "key.json").write_text(json.dumps({"type": "cat"}))
    return with_account(credentials_file=str(folder / "key.json"))


def a_model(folder: Path) -> CheckSettings:
    return CheckSettings(scorer=str(folder))


FAILURES: dict[str, tuple[Callable[[Path], CheckSettings], str]] = {
    "refused": (lambda _: REMOTE, "start the checker, or choose another with checker=…"),
    "refused by a service": (
        lambda _: replace(REMOTE, account=None, proxy=CLOSED),
        "check proxy=…, or list the checker in NO_PROXY",
    ),
    "no proxy": (
        lambda _: replace(REMOTE, proxy="socks5://127.0.0.1:9"),
        "proxy=… names a proxy of SOCKS",
    ),
    "no key file": (
        lambda folder: with_account(credentials_file=f"{folder}/none"),
        "credentials_file=… ",
    ),
    "another file": (no_key, "name a key file with credentials_file=… or"),
    "no model": (a_model, "scorer=… "),
    "no object": (lambda _: settings_for("nowhere:Checker"), "nowhere:Checker"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_names_arguments(name: str, tmp_path: Path) -> None:
    settings_of, expected = FAILURES[name]
    told = str(failure_of(settings_of(tmp_path)))
    assert expected in told
    assert "--" not in told


WORDS = {
    "late": (wire_faults.hang, "no reply within 0.3 s; timeout_s=… allows more"),
    "not found": (wire_faults.status(404, "NOT_FOUND"), "check the address, and api_version=…"),
}


@pytest.mark.parametrize(("fault", "expected"), WORDS.values(), ids=WORDS)
def test_a_fault_of_a_checker_names_arguments(fault: Fault, expected: str) -> None:
    with FaultServer(always(fault)) as server:
        settings = replace(REMOTE, checker=server.address, endpoint=server.address)
        told = str(failure_of(settings))
    assert expected in told
    assert "--" not in told


def test_each_flag_that_a_message_of_the_check_names_is_an_argument() -> None:
    """Only `--name`, and no value behind it, is replaced by the name of an argument."""
    known = {"checker", "escalate", "thresholds"}.union(
        *(
            [field.name for field in msgspec.structs.fields(kind)]
            for kind in (CheckSettings, RetrySettings, GoogleAccount)
        )
    )
    folders = (ROOT / "transforms/grounding", ROOT / "transforms/runtime")
    named = {
        flag
        for path in product_files()
        if any(path.is_relative_to(folder) for folder in folders)
        for flag in flags_in_texts(path)
    }
    assert {"checker", "timeout_s", "scorer"} <= named <= known


def flags_in_texts(path: Path) -> set[str]:
    """Return the flags in the texts of a module that are no docstrings."""
    tree = ast.parse(path.read_bytes())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in docstrings
    )
    return {flag for text in texts for flag in _FLAG.findall(text)}


def test_a_checker_that_cannot_be_reached_is_told_soon() -> None:
    began_s = time.monotonic()
    error = failure_of(CLOSED)
    assert time.monotonic() - began_s < 15
    assert error.attempts > 1
    assert "cannot connect to http://127.0.0.1:9 (connection refused)" in str(error)


@pytest.mark.parametrize("timeout_s", [0.2, 1])
def test_a_reply_that_is_late_is_not_waited_for(timeout_s: float) -> None:
    with FaultServer(always(wire_faults.hang)) as server:
        settings = replace(settings_for(server.address), retries=replace(ONE_TRY, timeout_s=60))
        told = str(failure_of(settings, timeout_s=timeout_s))
    assert told.startswith(f"no reply within {timeout_s:g} s")


def test_a_checker_that_has_replied_is_called_again() -> None:
    unavailable = wire_faults.status(503, "UNAVAILABLE")
    with FaultServer(in_turn(wire_faults.good, unavailable)) as server:
        retries = replace(SEVERAL_TRIES, first_s=0)
        settings = replace(settings_for(server.address), retries=retries, max_in_flight=1)
        first, second = check_many([(FACT, [FACT]), (f"{FACT} Yes.", [FACT])], checker=settings)
    assert [each.check and each.check.attempts for each in (first, second)] == [1, 2]


def test_a_checker_that_has_never_replied_is_given_up() -> None:
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        retries = replace(SEVERAL_TRIES, first_s=0)
        error = failure_of(replace(settings_for(server.address), retries=retries))
    assert isinstance(error, Unavailable)
    assert error.attempts == server.requests == 1


@pytest.mark.parametrize(
    ("timeout_s", "kind", "told"),
    [
        (0, ValueError, "timeout_s=0: must be a number of seconds above 0"),
        (float("nan"), ValueError, "timeout_s=nan: must be a number"),
        ("10", TypeError, "timeout_s is a str: pass seconds"),
    ],
)
def test_a_time_that_is_none_is_refused(timeout_s: Any, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        check(FACT, [FACT], timeout_s=timeout_s)
