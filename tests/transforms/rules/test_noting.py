"""The note for the next prompt of a model."""

import pytest
from msgspec.structs import replace

from groundwatch import CheckResult, check
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.noting import write_note
from tests.support.builders import a_claim, a_fact, an_enriched

LAMPS = "Lamps are sold in Berlin. The warranty is 2 years. The warranty does not cover the bulbs."
NOT_COVERED = "The warranty does not cover the bulbs."
WRONG, DENIED = '- "The warranty is 3 years."', '- "The warranty covers the bulbs."'
INSTRUCTION = (
    "Write the answer again: correct these statements by the sources or leave them out, and add"
    " nothing that the sources do not say."
)


def lines_of(record: EnrichedAnswer) -> list[str]:
    *lines, instruction = write_note(record).split("\n")
    assert instruction == INSTRUCTION
    return lines


def a_low(*claims: tuple[str, float], **fields: object) -> EnrichedAnswer:
    made = tuple(a_claim(text, score=score) for text, score in claims)
    given = {"verdict": Verdict.LOW_GROUNDED, "claims": made, "facts": (a_fact(LAMPS),)}
    return an_enriched(**given | fields)


def test_each_flagged_statement_has_what_the_source_says_or_that_none_says_it() -> None:
    answer = "The warranty is 3 years.\n\n- The warranty covers the bulbs.\n- Kettles vote in Peru."
    record = check(f"{answer}\n\nLamps are sold in Berlin. They weigh 7 kg.", [LAMPS])
    assert lines_of(record) == [
        f'{WRONG} says "3 years", but the source says "2 years": "The warranty is 2 years."',
        f'{DENIED} says "covers", but the source says "not cover": "{NOT_COVERED}"',
        '- "Kettles vote in Peru." was not found in the sources.',
        '- "They weigh 7 kg." was not found in the sources, nor was "7 kg".',
    ]
    assert isinstance(record, CheckResult)
    assert record.note() == write_note(record)


@pytest.mark.parametrize("answer", ["The warranty is 2 years.", "", "Hello!"])
def test_nothing_flagged_is_an_empty_text(answer: str) -> None:
    assert check(answer, [LAMPS]).note() == check("The warranty is 3 years.", []).note() == ""


def test_several_values_of_a_statement_are_on_one_line() -> None:
    record = check("The warranty is 3 years. It costs 30 crowns or 5.", [LAMPS])
    pairs = [("3", "2"), ("years", None)]
    mismatches = tuple(
        Contradiction(claim=0, kind="NUMBER", claim_value=said, fact_value=value, fact=0)
        for said, value in pairs
    )
    [first, _] = lines_of(replace(record, mismatches=mismatches))
    assert first == (
        '- "The warranty is 3 years." says "3", but the source says "2"; and "years", but the'
        ' source says otherwise: "The warranty is 2 years."'
    )


def test_a_statement_with_a_low_score_that_a_checker_cites_has_the_sentence() -> None:
    claim = a_claim("The warranty is 2 years everywhere.", score=0.2, citations=(0,))
    [line] = lines_of(a_low(claims=(claim,)))
    said = '- "The warranty is 2 years everywhere." was not found in the sources; nearest:'
    assert line == f'{said} "The warranty is 2 years."'


def test_a_statement_that_is_not_found_has_the_nearest_sentence() -> None:
    [line] = lines_of(a_low(("Bulbs are covered by the warranty.", 0.2)))
    said = '- "Bulbs are covered by the warranty." was not found in the sources; nearest:'
    assert line == f'{said} "{NOT_COVERED}"'


def test_where_no_statement_is_low_by_itself_those_below_the_other_threshold_are_named() -> None:
    record = a_low(("Kettles vote.", 0.5), ("Lamps are sold in Berlin.", 0.9))
    assert lines_of(record) == ['- "Kettles vote." was not found in the sources.']


def test_where_only_the_support_score_is_low_every_statement_is_named() -> None:
    record = a_low(("Kettles vote.", 0.65), ("Cups fly.", 0.7), support_score=0.5)
    assert len(lines_of(record)) == 2


def test_the_thresholds_of_the_check_decide() -> None:
    facts = ["It glows red at night."]
    answer = "It glows red at night in Berlin."
    by_default = check(answer, facts, scorer="none")
    strict = check(answer, facts, scorer="none", thresholds={"claim_threshold": 0.9})
    assert strict.note() != by_default.note() == ""


def test_what_needs_no_check_is_not_flagged() -> None:
    hello = a_claim("Hello.", score=0.0, grounding_check_required=False)
    assert write_note(a_low(claims=(hello,))) == ""


def test_a_statement_is_one_line_and_cut_at_a_word() -> None:
    record = a_low(("Kettles\nvote \x1b[31m" + "again " * 100, 0.1))
    [line] = lines_of(record)
    assert line.startswith('- "Kettles vote  [31magain again')
    assert line.endswith('again …" was not found in the sources.')
    assert len(line) < 300


@pytest.mark.parametrize("verdict", [each for each in Verdict if each != Verdict.LOW_GROUNDED])
def test_another_verdict_flags_nothing(verdict: Verdict) -> None:
    assert write_note(a_low(("Kettles vote.", 0.1), verdict=verdict)) == ""
