"""The tree of errors that the architecture page draws is that of the code."""

import ast
import re

from tests.support.repository import ROOT, product_files

PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
TREE = PAGE.partition("\n## Errors\n")[2].partition("\n## ")[0]
ERROR_TYPES = {"Exception", "OSError", "ValueError"}


def classes_in_code() -> dict[str, list[str]]:
    """Map each public class of the product to the names of its bases."""
    trees = (ast.parse(path.read_bytes()) for path in product_files())
    return {
        node.name: [ast.unparse(base) for base in node.bases]
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


def errors_in_code() -> set[tuple[str, str]]:
    """Return the errors of the product, each with its base."""
    classes = classes_in_code()

    def is_error(name: str) -> bool:
        return name in ERROR_TYPES or any(map(is_error, classes.get(name, ())))

    return {(name, base) for name, bases in classes.items() for base in bases if is_error(base)}


def errors_on_page() -> set[tuple[str, str]]:
    """Return the errors that the page draws, each with what stands above it."""
    above = ["Exception"]
    drawn = set()
    for branch, name in re.findall(r"^([│ ]*[├└]─ )(\w+)", TREE, re.MULTILINE):
        del above[len(branch) // 3 :]
        drawn.add((name, above[-1]))
        above.append(name)
    return drawn


def test_the_page_draws_each_error_below_its_base() -> None:
    builtin = {(name, "Exception") for name in ERROR_TYPES - {"Exception"}}
    assert errors_on_page() == errors_in_code() | builtin
