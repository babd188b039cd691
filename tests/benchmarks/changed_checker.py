"""Import the embedded checker anew, with functions and constants replaced in its source."""

import ast
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from tests.support.repository import ROOT

_FOLDER = ROOT / "transforms" / "lexical"
_PACKAGE = "groundwatch.transforms.lexical"

Check = Callable[[CheckRequest], CheckResponse]


class UnknownNameError(Exception):
    """What should be replaced is not there."""


def file_named(name: str) -> Path:
    """Return the file of a module or table of the checker, in whichever folder it stands."""
    found = list(_FOLDER.rglob(name))
    if len(found) != 1:
        raise UnknownNameError(f"the checker has no {name}, or several")
    return found[0]


def find_definition(tree: ast.Module, name: str) -> ast.stmt:
    """Return where a name is defined, such as `_hedge` or `Value.equals`."""
    body: Sequence[ast.stmt] = tree.body
    for part in name.split("."):
        found = [node for node in body if part in _names(node)]
        if len(found) != 1:
            raise UnknownNameError(f"the checker has no {name}, or several: correct the rule")
        body = getattr(found[0], "body", ())
    return found[0]


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _replace(node: ast.stmt, expression: str) -> None:
    """Let a function return an expression, or a constant be one."""
    value = ast.parse(expression, mode="eval").body
    if isinstance(node, ast.FunctionDef):
        node.body = [ast.Return(value)]
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
        node.value = _Put(node.value).visit(value)


class _Put(ast.NodeTransformer):
    """Put an expression into another one."""

    def __init__(self, old: ast.expr) -> None:
        self._old = old

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._old if node.id == "OLD" else node


class _Loader(SourceFileLoader):
    """Load a module with some of its functions and constants replaced."""

    without: Mapping[str, str] = {}

    def get_code(self, fullname: str) -> CodeType:
        module = fullname.rpartition(".")[2]
        tree = ast.parse(self.get_data(self.path))
        for name, expression in self.without.items():
            begin, _, rest = name.partition(".")
            if begin == module:
                _replace(find_definition(tree, rest), expression)
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, without: Mapping[str, str]) -> None:
        self._without = without

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        del path, target
        if not f"{fullname}.".startswith(f"{_PACKAGE}."):
            return None
        place = _FOLDER.joinpath(*fullname.removeprefix(_PACKAGE).split(".")[1:])
        file, folders = place.with_suffix(".py"), None
        if place.is_dir():
            file, folders = place / "__init__.py", [str(place)]
        loader = _Loader(fullname, str(file))
        loader.without = self._without
        return spec_from_file_location(fullname, loader=loader, submodule_search_locations=folders)


def checker_without(without: Mapping[str, str]) -> Check:
    """Import a checker of its own, with functions and constants replaced."""

    def pop() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if name.startswith(_PACKAGE)]
        return {name: sys.modules.pop(name) for name in names}

    finder, own = _Finder(without), pop()
    sys.meta_path.insert(0, finder)
    try:
        check: Check = importlib.import_module(f"{_PACKAGE}.check_claims").check_grounding
        if unread := {each.partition(".")[0] for each in without} - {
            name.rpartition(".")[2] for name in sys.modules if name.startswith(_PACKAGE)
        }:
            raise UnknownNameError(
                f"the checker does not import {sorted(unread)}: correct the rule"
            )
    finally:
        sys.meta_path.remove(finder)
        pop()
        sys.modules.update(own)
    return check
