"""How many changes of the rules the tests noticed.

    mutmut results --all true | python -m tests.mutation.score

It is what `make mutants` ends with: a row for each module, and the names of the changes that nobody
noticed, each of which `mutmut show NAME` prints.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

_RESULT = re.compile(r"\s*(([\w.]+)\.x[_ǁ]\S+): (.+?)\s*")
_NOTICED = {"killed", "timeout", "segfault"}
_NOT_TRIED = "not checked"


def score(results: Iterable[str]) -> Iterator[str]:
    """Count the changes by module.

    Args:
      results: lines as mutmut writes them, such as
        "groundwatch.transforms.rules.limits.x_f__mutmut_1: killed".

    Returns:
      The lines of a table, its last row the sum, and behind it what survived.
    """
    modules: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    survivors: list[str] = []
    for name, module, status in _results(results):
        noticed = status in _NOTICED
        modules[module][noticed] += 1
        if not noticed:
            survivors.append(f"{status}: {name}")
    yield f"{'module':<40}{'changes':>9}{'noticed':>9}"
    yield from (_row(module, counts) for module, counts in sorted(modules.items()))
    yield _row("all", sum(modules.values(), Counter()))
    yield from survivors


def _results(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        match = _RESULT.fullmatch(line)
        if match and match[3] != _NOT_TRIED:
            yield match[1], match[2], match[3]


def _row(name: str, counts: Counter[bool]) -> str:
    share = counts[True] / counts.total() if counts else 1.0
    return f"{name:<40}{counts.total():>9}{counts[True]:>9}{share:>9.1%}"


if __name__ == "__main__":
    print("\n".join(score(sys.stdin)))  # noqa: T201 - a command
