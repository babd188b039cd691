"""Answers with the verdicts that are right: public sets, written sets, and the forms of the tests.

The public and the written sets are files of one folder; their README.md says what they are. An
answer whose sources do not support it should be LOW_GROUNDED, any other one should not.

The forms are tables of the tests: the ways in which one statement is written, with the verdict that
the table's test says or implies. They are a statement in each form beside a fact that supports it,
and beside one that does not; equal values in a sentence; statements in seven languages; short
answers with their question; courtesy and refusals, which are no claims, and what resembles them and
is one; and the messages of the bundled sample that need one call. Each row of a table is a case, or
one for each verdict or direction that it has. Beside them there are short answers to facts in other
words (tests/data/short_answers.jsonl), written by hand for this measure before the checker was
tried on them, answers that repeat a figure of the question (tests/data/premises.jsonl), and answers
that change their form alone (tests/data/changed_forms.jsonl).

The edits are the tables of statements that contradict a fact, or seem to: the tests of the rules
that find contradictions. That a rule passes its own test says little of what it is worth.

The records are those that the small model is trained on (tests/data/training_pairs): statements
about a passage, each right, or wrong in one point. No rule was made from them, but the bounds of
`values_of_others` were chosen on them.
"""

import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact
from groundwatch.transforms.grounding.planned_check import plan_check
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.rules.routing import route
from tests.support.answer_forms import forms_around, forms_inside
from tests.support.answer_messages import parse_answer, parsed
from tests.support.checks import check_request
from tests.support.languages_table import LANGUAGES, sentences
from tests.support.repository import ROOT
from tests.support.sample import sample_messages
from tests.transforms.lexical import test_changed_forms
from tests.transforms.lexical.claims import (
    test_clauses,
    test_frames,
    test_read_claim,
    test_short_answers,
    test_support_talk,
    test_user_statements,
)
from tests.transforms.lexical.contradictions import (
    test_denials,
    test_find_differences,
    test_values_of_others,
)
from tests.transforms.lexical.reading import test_answer_sentences, test_plain_text, test_same_text
from tests.transforms.lexical.values import test_read_values

LOW = frozenset({Verdict.LOW_GROUNDED})
SUPPORTED = frozenset({Verdict.GROUNDED})
NO_CLAIM = frozenset({Verdict.UNSCORABLE})
NOT_LOW = SUPPORTED | NO_CLAIM
CLAIM = SUPPORTED | LOW

GROUPS = ("public", "written", "forms", "edits", "records")
_OF_LANGUAGES = dict.fromkeys(("identical", "respelled", "paraphrased"), SUPPORTED) | dict.fromkeys(
    ("refused", "greeting"), NO_CLAIM
)
_OTHER = "The shop opens at nine."
_TITLED = GroundingFact(fact_text="Lamps cost 12 euros.", attributes={"title": "Refund policy"})
_VALUE = "The label of the red desk lamp in the shop says {}."


class Case(NamedTuple):
    """An answer's check, and the verdicts of which each is right.

    Attributes:
      name: the set that it is from.
    """

    group: str
    name: str
    request: CheckRequest
    right: frozenset[Verdict]


def read_cases(folder: Path) -> list[Case]:
    """Read the sets in a folder, and the tables of the tests."""
    groups = (_public(folder), _written(folder), forms(), edits(), _records())
    of_groups = zip(GROUPS, groups, strict=True)
    return [Case(group, *case) for group, cases in of_groups for case in cases]


_Form = tuple[CheckRequest, frozenset[Verdict]]
_Named = tuple[str, CheckRequest, frozenset[Verdict]]


def _rows(path: Path) -> list[Any]:
    return list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


def _requests(answer: Answer) -> Sequence[CheckRequest]:
    planned = plan_check(answer, CheckSettings())
    return planned.requests if planned else ()


def _of(facts: Iterable[object], answer: str, query: str | None = None) -> CheckRequest:
    [request] = _requests(parsed({"answer": answer, "facts": facts, "query": query}))
    return request


def _public(folder: Path) -> Iterator[_Named]:
    for name in ("ragtruth_qa", "clapnq"):
        gold = {row["name"]: row["hallucinated"] for row in _rows(folder / f"{name}.gold.jsonl")}
        for row in _rows(folder / f"{name}.answers.jsonl"):
            [request] = _requests(parsed(row))
            yield name, request, LOW if gold[row["name"]] else NOT_LOW
    for name in ("wice", "begin"):
        for row in _rows(folder / f"{name}.claims.jsonl"):
            yield name, _of(row["facts"], row["answer"]), NOT_LOW if row["grounded"] else LOW
    for path in sorted((folder / "fresh").glob("*.jsonl")):
        for row in _rows(path):
            yield path.stem, _of(row["facts"], row["answer"]), LOW if row["bad"] else NOT_LOW


def _written(folder: Path) -> Iterator[_Named]:
    yield from _support_bot(folder / "support_bot")
    for row in chain(_rows(folder / "blind/cases.jsonl"), _rows(folder / "blind/pairs.jsonl")):
        yield "blind", _of(row["facts"], row["answer"]), LOW if row["label"] == "wrong" else NOT_LOW
    for row in _rows(folder / "blind2/items.jsonl"):
        for kind, right in (("right", NOT_LOW), ("wrong", LOW)):
            yield "blind2", _of(row["facts"], row[kind], row["query"]), right


def _support_bot(folder: Path) -> Iterator[_Named]:
    for row in _rows(folder / "cases.jsonl"):
        is_low = row["expected"] == "unsupported"
        yield "cases", _of(row["facts"], row["answer"]), LOW if is_low else NOT_LOW
    for row in _rows(folder / "phrases.jsonl"):
        for lines in ((row["phrase"], row["answer"]), (row["answer"], row["phrase"])):
            yield "phrases", _of(row["facts"], "\n".join(lines)), NOT_LOW
    for row in _rows(folder / "citation_marks.jsonl"):
        for space in ("", " "):
            answer = f"{row['answer']}{space}{row['mark']}"
            yield "citation_marks", _of(row["facts"], answer), NOT_LOW
    for row in _rows(folder / "equal_forms.jsonl"):
        yield "equal_forms", _of(row["facts"], row["answer"]), NOT_LOW
    for row in _rows(folder / "languages.jsonl"):
        for kind, right in (("verbatim", NOT_LOW), ("supported", NOT_LOW), ("unsupported", LOW)):
            yield "languages", _of(row["facts"], row[kind]), right


def forms() -> Iterator[_Named]:
    """Yield the cases of the tables of forms, each with its table's name."""
    yield from _of_tables(
        _markup, _tables_and_marks, _claims, _clauses, _support_talk, _values, _questions
    )
    yield from _of_tables(_short_answers, _premises, _languages, _changed_forms)
    for each in sample_messages():
        if each.outcome in set(CLAIM | NO_CLAIM):
            answer = parse_answer(each.message)
            requests = () if route(answer) else _requests(answer)
            if len(requests) == 1:
                yield "sample", requests[0], frozenset({Verdict(each.outcome)})


def edits() -> Iterator[_Named]:
    """Yield the cases of the tables of edits, each with its table's name."""
    yield from _of_tables(_denials, _other_values, _values_of_others, _edited_languages)


def _records() -> Iterator[_Named]:
    """Yield the statements of the records, the wrong ones by the kind of the point."""
    path = ROOT / "tests" / "data" / "training_pairs" / "records_n_to_z.jsonl.xz"
    for row in map(json.loads, lzma.decompress(path.read_bytes()).splitlines()):
        wrong = [(each["kind"], each["text"], LOW) for each in row["wrong"]]
        for name, text, right in (*(("right", text, NOT_LOW) for text in row["right"]), *wrong):
            yield name, _of([row["passage"]], text, row["question"]), right


def _of_tables(*tables: Callable[[], Iterator[_Form]]) -> Iterator[_Named]:
    for table in tables:
        for request, right in table():
            yield table.__name__.strip("_"), request, right


def _table(test: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a test's table."""
    [mark] = test.pytestmark
    given = [getattr(row, "values", row) for row in mark.args[1]]
    return [row if isinstance(row, tuple) else (row,) for row in given]


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        one, other = line.split(" | ")
        yield one, other
        yield other, one


def _right_and_wrong(form: str, statement: str) -> Iterator[_Form]:
    yield check_request(form, statement), SUPPORTED
    yield check_request(form, _OTHER), LOW


def _markup() -> Iterator[_Form]:
    tests = test_plain_text
    for statement, number, right in ((tests.RIGHT, "14", SUPPORTED), (tests.WRONG, "44", LOW)):
        for answer in (*forms_around(statement), *forms_inside(number)):
            yield check_request(answer, *tests.FACTS), right
    fact = tests.FACTS[1]
    for lead in tests.LEADS:
        yield check_request(f"{lead}No, opened items cannot be returned.", fact), SUPPORTED
        yield check_request(f"{lead}Yes, opened items can be returned.", fact), LOW
    for fact, answer in test_same_text.VERBATIM.values():
        yield check_request(answer, fact), SUPPORTED


def _tables_and_marks() -> Iterator[_Form]:
    for (mark,) in _table(test_plain_text.test_citation_marks_of_any_vendor_are_left_out):
        for price, right in ((12, SUPPORTED), (13, LOW)):
            request = check_request(f"Lamps cost {price} euros {mark}.")
            yield replace(request, facts=[_TITLED]), right
    for (table,) in _table(test_answer_sentences.test_rows_of_a_table_are_named_by_its_heading_row):
        for price, right in ((12, NOT_LOW), (13, LOW)):
            fact = f"The item Lamp has a price of {price} euros. The item Chair has a price. Text."
            yield check_request(table, fact), right
    for cell, is_wrong in _table(test_answer_sentences.test_a_cell_may_deny_its_heading):
        answer = f"| Items | Returnable |\n|---|---|\n| Opened items | {cell} |"
        yield check_request(answer, test_plain_text.FACTS[1]), LOW if is_wrong else NOT_LOW
    for (sources,) in _table(test_answer_sentences.test_a_list_of_sources_is_no_claim):
        yield check_request(f"Lamps cost 12 euros.\n\n{sources}", "Lamps cost 12 euros."), SUPPORTED


def _claims() -> Iterator[_Form]:
    for (sentence,) in _table(test_read_claim.test_no_check_is_required):
        yield check_request(sentence, _OTHER), NO_CLAIM
    for (sentence,) in _table(test_read_claim.test_a_check_is_required):
        yield check_request(sentence, _OTHER), CLAIM
    for (sentence,) in _table(test_read_claim.test_talk_about_the_sources_is_not_scored):
        yield from _right_and_wrong(sentence, "Lamps glow red.")
    statement = "The lamp of the shop glows for {} hours."
    for frame in test_frames.FRAMES:
        for hours, right in ((12, SUPPORTED), (15, LOW)):
            said = f"{frame}the lamp of the shop glows for {hours} hours."
            yield check_request(said, statement.format(12)), right


def _clauses() -> Iterator[_Form]:
    tests = test_clauses
    for statement, line in tests.STATED:
        said = statement[0].upper() + statement[1:] if line.startswith("X") else statement
        yield from _right_and_wrong(line.replace("X", said), f"{statement}.")
    for sentence in tests.NOTHING_STATED:
        yield check_request(sentence, _OTHER), NO_CLAIM
    for form in ("# {}", "**{}**", "{}:"):
        for title, is_claim in tests.HEADINGS:
            answer = f"{form.format(title)}\n\n{_OTHER}"
            yield check_request(answer, _OTHER), LOW if is_claim else SUPPORTED
    for answer in tests.LEADS:
        yield check_request(answer, *tests.FACTS), LOW
    refusals = _table(tests.test_a_refusal_denies_that_the_source_says_something)
    for sentence, is_refusal in refusals:
        yield check_request(sentence, _OTHER), NO_CLAIM if is_refusal else CLAIM


def _support_talk() -> Iterator[_Form]:
    tests = test_support_talk
    for phrase in (*tests.COURTESY, *tests.REFUSALS):
        yield check_request(phrase, tests.FACT), NO_CLAIM
        yield check_request(f"{phrase}\n{tests.CLAIM}", tests.FACT), SUPPORTED
        yield check_request(f"{phrase} {tests.CLAIM}", tests.FACT), SUPPORTED
    for statement in tests.STATEMENTS:
        yield check_request(statement, tests.FACT), CLAIM
    for one, other in _pairs(tests.EQUAL):
        yield check_request(one, other), NOT_LOW


def _denials() -> Iterator[_Form]:
    for claim, fact in chain(
        _pairs(test_support_talk.DENIALS),
        test_find_differences.EVERYBODYS_FIRST_TRY,
        [tuple(row.replace("*", "").split(" | ")) for row in test_denials.DENIED],
        _pairs(test_support_talk.CHANGED_VALUES),
    ):
        yield check_request(claim, fact), LOW
    for row in test_find_differences.CONTRADICTED:
        claim = row.split(" | ")[1].replace("*", "")
        yield check_request(claim, *test_find_differences.FACTS), LOW
    for agreeing in (test_find_differences.AGREEING, test_denials.AGREEING):
        for claim, fact in agreeing.values():
            yield check_request(claim, fact), NOT_LOW
    for subject in test_denials.SUBJECTS:
        for pair in test_denials.STATED.items():
            one, other = (f"{each.format(subject)}." for each in pair)
            for claim, contrary in ((one, other), (other, one)):
                yield check_request(claim, f"{_OTHER} {claim}"), SUPPORTED
                yield check_request(claim, f"{_OTHER} {contrary}"), LOW


def _values() -> Iterator[_Form]:
    for one, other in _pairs(test_read_values.EQUAL):
        yield check_request(_VALUE.format(one), _VALUE.format(other)), NOT_LOW


def _other_values() -> Iterator[_Form]:
    for one, other in _pairs(test_read_values.DIFFERENT):
        yield check_request(_VALUE.format(one), _VALUE.format(other)), LOW


def _values_of_others() -> Iterator[_Form]:
    tests = test_values_of_others
    for row in tests.EXCHANGED:
        fact, claim, _ = row.split(" | ")
        yield check_request(claim, fact), LOW
    for row in tests.AGREEING:
        fact, claim = row.split(" | ")
        yield check_request(claim, fact), NOT_LOW


def _questions() -> Iterator[_Form]:
    for question, fact, answer, verdict in test_short_answers.each_answer():
        yield replace(check_request(answer, fact), query=question), frozenset({verdict})
    others = _table(test_short_answers.test_what_is_no_short_answer_to_a_question_is_no_claim)
    for question, answer in others:
        fact = "The lamp has a warranty of two years."
        yield replace(check_request(answer, fact), query=question), NO_CLAIM
    repeated = _table(test_user_statements.test_what_only_repeats_the_user_is_recognized)
    for query, sentence, is_repeated in repeated:
        request = replace(check_request(sentence, _OTHER), query=query)
        yield request, NO_CLAIM if is_repeated else CLAIM


def _short_answers() -> Iterator[_Form]:
    yield from _answers_in("short_answers")


def _premises() -> Iterator[_Form]:
    yield from _answers_in("premises")


def _changed_forms() -> Iterator[_Form]:
    tests = test_changed_forms
    for row in tests.ROWS:
        of_verdicts = ((row["right"], SUPPORTED), ([row["right"][0], row["wrong"]], LOW))
        for stated, right in of_verdicts:
            for answer in chain.from_iterable(form(stated, row["query"]) for form in tests.FORMS):
                yield replace(check_request(answer, row["fact"]), query=row["query"]), right
        for answer in tests.with_title_behind([row["right"][0], row["wrong"]], row["query"]):
            yield replace(check_request(answer, row["fact"]), query=row["query"]), LOW


def _answers_in(file: str) -> Iterator[_Form]:
    for row in _rows(ROOT / "tests" / "data" / f"{file}.jsonl"):
        for kind, right in (("right", SUPPORTED), ("wrong", LOW)):
            for answer in row[kind]:
                yield replace(check_request(answer, row["fact"]), query=row["query"]), right


def _languages() -> Iterator[_Form]:
    for each in chain.from_iterable(map(sentences, LANGUAGES)):
        if right := _OF_LANGUAGES.get(each.form):
            yield check_request(each.text, each.fact), right


def _edited_languages() -> Iterator[_Form]:
    for each in chain.from_iterable(map(sentences, LANGUAGES)):
        if each.form not in _OF_LANGUAGES:
            yield check_request(each.text, each.fact), LOW
