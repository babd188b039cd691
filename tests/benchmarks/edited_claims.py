"""Which small changes of a supported claim are found, and how often a claim is suspected unchanged.

    python -m tests.benchmarks.edited_claims --answers FILE --gold FILE

Takes the claims that people found supported, changes one value of each in every way that it can,
also to another value of the same facts, the same ways each time. Prints for each kind of change,
and for none: how many there are, the share that is found as a mismatch, the share whose mismatch
names the value that stood there before, and the share that scores below 0.4: LOW_GROUNDED.
"""

# ruff: noqa: SIM905 - a table of words reads best as text

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from groundwatch.launch.results.evaluate.labels import read_labels
from groundwatch.pipeline.sources.archives import read_archive
from groundwatch.schemas.answer import Answer, Label
from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.schemas.wire.grounding_check import CheckedClaim
from groundwatch.transforms.lexical.check_claims import check_grounding, find_contradictions
from groundwatch.transforms.lexical.difference import Difference
from groundwatch.transforms.lexical.fact_text import describe_facts, render_facts
from tests.support.answer_messages import parse_answer
from tests.support.checks import check_request


def _both_ways(pairs: str) -> dict[str, str]:
    return {
        one: other
        for pair in pairs.split(", ")
        for one, other in (pair.split(), reversed(pair.split()))
    }


_LOW = 0.4
_MONTHS = (
    "January February March April June July August September October November December".split()
)
_PAIRS = (
    "meters feet, miles kilometers, minutes hours, days weeks, months years, pounds kilograms,"
    " grams ounces, cups tablespoons, percent degrees, Fahrenheit Celsius, million billion"
)
_OTHER_UNIT = _both_ways(_PAIRS)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_NUMBER = re.compile(r"(?<![\w.,:])\d{1,3}(?:,\d{3})*(?![\w:]|[.,]\d)")
_UNIT = re.compile(rf"(?<=\d )(?:{'|'.join(_OTHER_UNIT)})\b")
_AUXILIARY = re.compile(r"(?<= )(?:is|are|was|were|can|will|should|must|does|do)(?! not)\b")
_NOT = re.compile(r" not\b")
_PAST = re.compile(r"(?<= )[a-z]{2,}[^aeious\W]ed\b(?! by)")
_AUXILIARY_BEFORE = re.compile(r"\b(?:is|are|was|were|be|been|ha[sd]|have|not|could|should) \w* ?$")
_REFERENCE = re.compile(r"\b(?:passage|step)s? [\d, and]+|\[[\d, ]+\]", re.IGNORECASE)


class Edit(NamedTuple):
    """A changed claim.

    Attributes:
      change: what was changed.
      kind: the mismatch that it should be found as.
      text: the claim as it is now.
      before: the value that stood there.
    """

    change: str
    kind: ContradictionKind
    text: str
    before: str


def edits(claim: str, facts: str, chance: random.Random) -> Iterator[Edit]:
    """Change a claim in every way that it can be changed, one at a time.

    Args:
      claim: a supported claim.
      facts: all its facts; a value is changed that they hold to one that they do not.
      chance: chooses among values.
    """
    hidden = _REFERENCE.sub(lambda found: " " * len(found[0]), claim)

    def swap(what: str, kind: ContradictionKind, pattern: re.Pattern[str]) -> Iterator[Edit]:
        found = [each for each in pattern.finditer(hidden) if each[0] in pattern.findall(facts)]
        others = sorted(each for each in {*pattern.findall(facts)} if each not in claim)
        if found and others:
            chosen, other = chance.choice(found), chance.choice(others)
            text = claim[: chosen.start()] + other + claim[chosen.end() :]
            yield Edit(f"{what}, swapped", kind, text, chosen[0])

    def change(
        what: str, kind: ContradictionKind, pattern: re.Pattern[str], to: str
    ) -> Iterator[Edit]:
        found = [each for each in pattern.finditer(hidden) if each[0] in facts]
        if found and to not in facts:
            chosen = chance.choice(found)
            text = claim[: chosen.start()] + to + claim[chosen.end() :]
            yield Edit(what, kind, text, chosen[0])

    number = str(chance.randrange(11, 999))
    yield from change("year", ContradictionKind.DATE, _YEAR, str(chance.randrange(1500, 2050)))
    yield from change("month", ContradictionKind.DATE, _MONTH, chance.choice(_MONTHS))
    yield from change("number", ContradictionKind.NUMBER, _NUMBER, number)
    yield from swap("year", ContradictionKind.DATE, _YEAR)
    yield from swap("number", ContradictionKind.NUMBER, _NUMBER)
    for verb in _PAST.finditer(claim):
        if not _AUXILIARY_BEFORE.search(claim[: verb.start()]):
            text = f"{claim[: verb.start()]}did not {verb[0][:-2]}{claim[verb.end() :]}"
            yield Edit("denied, other form", ContradictionKind.NEGATION, text, "")
            break
    if unit := _UNIT.search(claim):
        yield from change("unit", ContradictionKind.UNIT, re.compile(unit[0]), _OTHER_UNIT[unit[0]])
    if found := _AUXILIARY.search(claim):
        text = f"{claim[: found.end()]} not{claim[found.end() :]}"
        yield Edit("denied", ContradictionKind.NEGATION, text, "")
    if found := _NOT.search(claim):
        text = claim[: found.start()] + claim[found.end() :]
        yield Edit("no longer denied", ContradictionKind.NEGATION, text, "not")


def supported_claims(answer: Answer, label: Label) -> Iterator[CheckedClaim]:
    """The claims of an answer that a person found supported, and that required a check."""
    spans = label.spans or ()
    if label.is_unsupported and not spans:
        return
    facts = render_facts(describe_facts(answer.facts))
    for claim in check_grounding(check_request(answer.answer_text, *facts)).claims:
        is_clean = all(claim.end_pos <= span.start or span.end <= claim.start_pos for span in spans)
        if claim.score is not None and is_clean:
            yield claim


def _score(claim: str, facts: Sequence[str]) -> float:
    reply = check_grounding(check_request(claim, *facts))
    return min((each.score for each in reply.claims if each.score is not None), default=1.0)


def _differences(text: str, answer: Answer) -> list[Difference]:
    described = describe_facts(answer.facts)
    return [each for found in find_contradictions([text], described) for each in found]


def measure(answers: Sequence[Answer], labels: dict[str, Label]) -> dict[str, Counter[str]]:
    """Count, for each change, how many there are and how many are found."""
    chance = random.Random(1)  # noqa: S311 - the same changes each time
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        facts = render_facts(describe_facts(answer.facts))
        for claim in supported_claims(answer, labels[answer.answer_name or answer.record_id]):
            known = _differences(claim.claim_text, answer)
            low = (claim.score or 0.0) < _LOW
            counts["unchanged"].update(all=1, found=bool(known), low=low)
            for edit in edits(claim.claim_text, "\n".join(facts), chance):
                new = [d for d in _differences(edit.text, answer) if d not in known]
                own = [d for d in new if d.kind == edit.kind]
                right = [d for d in own if edit.before in d.fact_value]
                low = _score(edit.text, facts) < _LOW
                counts[edit.change].update(all=1, found=bool(own), right=bool(right), low=low)
    return counts


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, required=True, help="answers, in any input format")
    parser.add_argument("--gold", type=Path, help="their labels; by default the answers' lines")
    options = parser.parse_args(arguments)
    with options.answers.open("rb") as stream:
        answers = [parse_answer(message) for message in read_archive(stream, "answers")]
    labels = read_labels(str(options.gold or options.answers))
    for change, count in measure(answers, labels).items():
        shares = (f"{name} {count[name] / count['all']:.3f}" for name in ("found", "right", "low"))
        sys.stdout.write(f"{change}: {count['all']:,}; {', '.join(shares)}\n")


if __name__ == "__main__":
    main()
