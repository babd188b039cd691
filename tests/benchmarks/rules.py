"""What each rule of the embedded checker is worth: the verdicts that change without it.

    python -m tests.benchmarks.rules --data DIR
    python -m tests.benchmarks.rules --data DIR --only "frames" "equal forms" --together --show

DIR has sets of answers with gold labels, which are no part of the repository; `rule_cases` says
which, and which tables of the tests are added to them as forms. `rules.toml` lists the rules, each
with the functions and constants that are replaced to take it out. For each rule the checker is
imported anew with these replacements, so that no cache and no table computed at the import knows
the rule, and all answers are checked again, in one process. A row has, for each of the five
groups, the verdicts that change, those of them that become wrong and those that become right; a
verdict that is neither changes between GROUNDED and UNSCORABLE (no claim). The number of replies
that differ in anything proves that the replacement took effect; without any, it says
"not reached". `lines` are those of the code and the tables that would go with the rule. `time` is
the processor time of a check without the rule in units of one with it.
"""

import argparse
import ast
import re
import sys
import time
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain, compress, product
from pathlib import Path
from statistics import median

from groundwatch.schemas import Record
from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from tests.benchmarks.changed_checker import Check, checker_without, file_named, find_definition
from tests.benchmarks.rule_cases import GROUPS, Case, read_cases
from tests.support.checks import verdict_of

TABLE = Path(__file__).with_name("rules.toml")
_HEADING = re.compile(r'\["?([\w ]+)"?\]')
_SAMPLED, _ROUNDS = 100, 10  # so often every 100th answer is checked for the time


class Rule(Record, frozen=True):
    """A rule, and how it is taken out.

    Attributes:
      without: by the name of a function or constant, such as `values._hedge`, the expression that a
        function returns instead, or that a constant is; `OLD` in it is what the constant was.
      goes: the modules, the names in them and the entries of tables that go with the rule.
    """

    name: str
    without: Mapping[str, str]
    goes: Sequence[str]

    @property
    def file(self) -> str:
        return self.goes[0].partition(".")[0]


def read_rules(path: Path) -> list[Rule]:
    """Return the rules of a table; names of code that is not there are an error."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rules = [_rule(name, row) for name, row in table.items()]
    for rule in rules:
        _lines_of([*rule.without, *rule.goes])
    return rules


def _rule(name: str, row: Mapping[str, str]) -> Rule:
    """Read a row: `kinds` of phrases are left out in all `languages`, or in some of them."""
    without = {key: value for key, value in row.items() if "." in key}
    goes = row.get("goes", "").split()
    if "kinds" in row or "languages" in row:
        kinds, languages = (row.get(key, "*").split() for key in ("kinds", "languages"))
        entries = [".".join(each) for each in product(languages, kinds)]
        without["phrases._LANGUAGES"] = _WITHOUT_ENTRIES.format(entries)
        goes += [f"languages.toml:{entry}" for entry in entries]
    return Rule(name, without, goes or [*without])


def _together(rules: Sequence[Rule]) -> Rule:
    """Make one rule of several; what two of them replace is replaced twice, in their order."""
    without: dict[str, str] = {}
    for name, value in chain.from_iterable(rule.without.items() for rule in rules):
        if without.get(name, value) != value and "OLD" not in value:
            raise SystemExit(f"two rules replace {name}: take out one of them")
        without[name] = value.replace("OLD", f"({without.get(name, 'OLD')})")
    goes = list(chain.from_iterable(rule.goes for rule in rules))
    return Rule(f"{len(rules)} together", without, goes)


_WITHOUT_ENTRIES = """{{
    language: {{
        kind: phrases
        if kind == "months"
        or {{f"{{language}}.{{kind}}", f"*.{{kind}}", f"{{language}}.*"}}.isdisjoint({})
        else type(phrases)()
        for kind, phrases in kinds.items()
    }}
    for language, kinds in OLD.items()
}}"""
"""The phrases without some; sentences are split by the names of months."""


def _lines_of(names: Iterable[str]) -> int:
    """Return how many lines modules, names in them and entries of tables have together."""
    lines: set[tuple[str, int]] = set()
    for name in names:
        module, _, rest = name.partition(".")
        if rest.startswith("toml:"):
            lines |= {(module, each) for each in _lines_of_table(module, rest[len("toml:") :])}
            continue
        tree, last = _parsed(module)
        node = find_definition(tree, rest) if rest else None
        first, last = (node.lineno, node.end_lineno or 0) if node else (1, last)
        lines |= {(module, each) for each in range(first, last + 1)}
    return len(lines)


@cache
def _parsed(module: str) -> tuple[ast.Module, int]:
    """Return the syntax of a module, and how many lines it has."""
    text = file_named(f"{module}.py").read_text(encoding="utf-8")
    return ast.parse(text), text.count("\n")


def _lines_of_table(table: str, entries: str) -> Iterator[int]:
    """Yield the numbers of the lines of some entries, such as `de.leads` or `*.leads`."""
    section = key = ""
    lines = file_named(f"{table}.toml").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if heading := _HEADING.fullmatch(line):
            section = heading[1]
        elif " = " in line and not line.startswith((" ", "#")):
            key = line.partition(" = ")[0]
        if line and fnmatchcase(f"{section}.{key}", entries):
            yield number


def _time_of(check: Check, requests: Sequence[CheckRequest]) -> float:
    started_s = time.process_time()
    for request in requests:
        check(request)
    return time.process_time() - started_s


def _ratio(check: Check, other: Check, cases: Sequence[Case]) -> float:
    """Return how long one check takes in units of another on a fixed sample, each first in turn."""
    is_drawn = [not zlib.crc32(each.request.answer_candidate.encode()) % _SAMPLED for each in cases]
    requests = [each.request for each in compress(cases, is_drawn)]
    ratios = []
    for number in range(_ROUNDS):
        order = (check, other) if number % 2 else (other, check)
        taken = {each: _time_of(each, requests) for each in order}
        ratios.append(taken[check] / taken[other])
    return median(ratios[2:])


@cache
def _baseline() -> Check:
    return checker_without({})


def _row(rule: Rule, cases: Sequence[Case], before: Sequence[CheckResponse], *, show: bool) -> str:
    check = checker_without(rule.without)
    counts = {group: [0, 0, 0] for group in GROUPS}
    different = 0
    for case, known in zip(cases, before, strict=True):
        reply = check(case.request)
        different += reply != known
        old, new = verdict_of(known), verdict_of(reply)
        if old != new:
            was, is_right = old in case.right, new in case.right
            for place, is_counted in enumerate((True, was and not is_right, is_right and not was)):
                counts[case.group][place] += is_counted
            if show:
                _print(f"  {case.name}: {old} -> {new}, right: {'/'.join(sorted(case.right))}")
                _print(f"    {case.request.query or ''} {case.request.answer_candidate!r}")
    cells = [" ".join(map(str, counts[group])) for group in GROUPS]
    reached = f"{different}" if different else "not reached"
    ratio = _ratio(check, _baseline(), cases)
    shown = (rule.name, rule.file, _lines_of(rule.goes), *cells, reached, f"{ratio:.2f}")
    return f"| {' | '.join(map(str, shown))} |"


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each rule when it is measured, and how long all took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--rules", type=Path, default=TABLE, help="another table of rules")
    parser.add_argument("--only", nargs="+", help="the names of some rules")
    parser.add_argument("--together", action="store_true", help="take all of them out at once")
    parser.add_argument("--show", action="store_true", help="print each answer that changes")
    options = parser.parse_args(arguments)
    started_s = time.monotonic()
    rules = {each.name: each for each in read_rules(options.rules)}
    if unknown := set(options.only or ()) - set(rules):
        parser.error(f"{options.rules.name} has no {', '.join(sorted(unknown))}")
    chosen = [rules[name] for name in options.only or rules]
    if options.together:
        chosen = [_together(chosen)]
    cases = read_cases(options.data)
    before = [_baseline()(case.request) for case in cases]
    _print("| | answers | right |\n| --- | ---: | ---: |")
    for group in GROUPS:
        found = [
            verdict_of(reply) in case.right
            for case, reply in zip(cases, before, strict=True)
            if case.group == group
        ]
        _print(f"| {group} | {len(found)} | {sum(found)} |")
    columns = [f"{group}: changed, wrong, right" for group in GROUPS]
    _print(f"\n| without | file | lines | {' | '.join(columns)} | replies | time |")
    _print(f"{'| --- ' * (len(columns) + 5)}|")
    for rule in chosen:
        _print(_row(rule, cases, before, show=options.show))
    _print(f"{time.monotonic() - started_s:.0f} s")


if __name__ == "__main__":
    main()
