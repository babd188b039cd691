"""Every public step says what goes in, what comes out, what fails and how often it delivers."""

import ast
from collections.abc import Iterator

from tests.support.repository import ROOT, product_files

SECTIONS = ("Input:", "Output:", "Failures:", "Delivery:")


def steps() -> Iterator[tuple[str, ast.ClassDef]]:
    """The public classes that are Beam transforms, with the files that hold them."""
    for path in product_files():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and is_step(node):
                yield str(path.relative_to(ROOT)), node


def is_step(node: ast.ClassDef) -> bool:
    return not node.name.startswith("_") and "beam.PTransform" in map(ast.unparse, node.bases)


def test_every_step_says_what_goes_in_what_comes_out_what_fails_and_how_often() -> None:
    silent = {
        f"{name} {step.name}: {section}"
        for name, step in steps()
        for section in SECTIONS
        if section not in (ast.get_docstring(step) or "")
    }
    assert len(list(steps())) > 5
    assert silent == set()
