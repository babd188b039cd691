"""The SQL of the engine: each statement is valid, and used."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from groundwatch.launch.engine import statements
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.transforms.grounding import reply_cache
from groundwatch.transforms.persistence import database, seen_ids
from tests.support.repository import ROOT

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|BEGIN|COMMIT)\b")
STATEMENTS = "launch/engine/statements.py"
OTHERS = [
    str(path.relative_to(ROOT))
    for folder in ("launch/engine", "launch/watch")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if str(path.relative_to(ROOT)) != STATEMENTS
]


def sql_of(module: ModuleType) -> list[str]:
    """The values of the module's names, without templates."""
    found: list[object] = []
    for value in vars(module).values():
        found += value.values() if value is statements.FIND_ROW else [value]
    found += statements.DELETE_ALL_ROWS
    return [
        each for each in found if isinstance(each, str) and SQL.match(each) and "{}" not in each
    ]


def test_each_statement_is_used() -> None:
    text = "".join((ROOT / path).read_text(encoding="utf-8") for path in (*OTHERS, STATEMENTS))
    for name in vars(statements):
        if name.isupper():
            assert len(re.findall(rf"\b{name}\b", text)) > 1, name


@pytest.mark.parametrize("module", [statements, seen_ids, reply_cache, database])
def test_sqlite_accepts_each_statement(tmp_path: Path, module: ModuleType) -> None:
    with closing(EngineDatabase.owned(str(tmp_path))) as opened:
        reply_cache.ReplyStore(opened.path).close()
        path = opened.path
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("row_checksum", -1, lambda *_: 0, deterministic=True)
        connection.executescript(statements.CREATE_POSTED)
        for script in sql_of(module):
            for statement in filter(str.strip, script.split(";")):
                places = re.findall(r"\?\d*", statement)
                count = len(places if "?" in places else {*places})
                connection.execute(f"EXPLAIN {statement}", [None] * count)
