"""The first sentences of the page."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from groundwatch.launch.cli.terminal import figures
from groundwatch.launch.results.report.counts.tally import Findings, Tally
from groundwatch.launch.results.report.page.report_page import render
from groundwatch.pipeline.sources.output_records import RunSummary
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import an_enriched
from tests.support.pages import Page, parse_page
from tests.support.pairs import POPULATION, pair
from tests.support.reports import a_low, row_of

GOOD = RunSummary(enriched=1, closes=True)


def tally_of(*answers: EnrichedAnswer, claim: float = 0.4) -> Tally:
    tally = Tally(Thresholds(claim=claim))
    for answer in answers:
        tally.add_answer(row_of(answer))
    return tally


def page_of(tally: Tally, summary: RunSummary | None, unreadable: tuple[str, ...] = ()) -> Page:
    findings = Findings(tally=tally, summary=summary, unreadable=unreadable)
    return parse_page(render(findings, "out"))


MODEL = replace(an_enriched().check, checker="discoveryengine")


@pytest.mark.parametrize(
    ("answers", "figure", "sentence", "screened"),
    [
        ([], None, "There are no enriched answers yet.", ""),
        (
            [an_enriched(verdict=Verdict.INCOMPLETE)],
            None,
            "1 answer, of which none was assessed.",
            "",
        ),
        (
            [an_enriched(check=MODEL)],
            "0 answers to look at",
            "The only scored answer is supported by the given sources.",
            "None of 1 scored answer is flagged by the embedded checker.",
        ),
        (
            [an_enriched(check=MODEL), an_enriched(check=MODEL)],
            "0 answers to look at",
            "All 2 scored answers are supported by the given sources.",
            "None of 2 scored answers is flagged by the embedded checker.",
        ),
        (
            [an_enriched(check=MODEL), a_low(check=MODEL)],
            "1 answer to look at",
            "1 of 2 scored answers is not supported by the given sources.",
            "1 of 2 scored answers is flagged by the embedded checker.",
        ),
        (
            [a_low(check=MODEL), a_low(check=MODEL)],
            "2 answers to look at",
            "2 of 2 scored answers are not supported by the given sources.",
            "2 of 2 scored answers are flagged by the embedded checker.",
        ),
    ],
    ids=["nothing", "none assessed", "one good", "all good", "one bad", "all bad"],
)
def test_the_headline_summarizes_the_page(
    answers: list[EnrichedAnswer], figure: str | None, sentence: str, screened: str
) -> None:
    page = page_of(tally_of(*answers), None)
    assert page.all("h1")[0].text == sentence
    assert [each.text for each in page.all("p", "figure")] == ([figure] if figure else [])
    if screened:
        local = [replace(each, check=replace(MODEL, checker="local")) for each in answers]
        page = page_of(tally_of(*local), None)
        assert page.all("h1")[0].text == screened
        assert figures.ACCURACY["local"] in page.text


def test_a_report_of_the_generator_is_not_flagged_by_the_screen() -> None:
    others = an_enriched(verdict=Verdict.INCOMPLETE, check=None), a_low(check=None)
    page = page_of(tally_of(a_low(), *others), None)
    expected = (
        "2 of 2 scored answers are flagged by the embedded checker (1),"
        " or reported by the generator (1)."
    )
    assert page.all("h1")[0].text == expected
    assert page.all("p", "figure")[0].text == "2 answers to look at"


def test_reports_of_the_generator_alone_are_no_findings_of_a_check() -> None:
    page = page_of(tally_of(a_low(check=None)), None)
    expected = "The generator reported 1 answer as low-grounded; none was checked."
    assert page.all("h1")[0].text == expected


def test_an_answer_of_another_checker_makes_it_no_screen() -> None:
    page = page_of(tally_of(a_low(), a_low(check=MODEL)), None)
    assert page.all("h1")[0].text.endswith("are not supported by the given sources.")


def test_records_of_several_revisions_of_a_checker_are_a_notice() -> None:
    answers = [an_enriched(check=replace(MODEL, revision=each)) for each in ("m-1", "m-2")]
    page = page_of(tally_of(*answers), replace(GOOD, enriched=2))
    [notice] = page.all("p", "notice")
    assert "more than one revision of discoveryengine" in notice.text
    for revision in ("m-1", "m-2"):
        assert revision in page.text


def test_a_complete_run_needs_zero_notices() -> None:
    assert page_of(tally_of(an_enriched()), GOOD).all("p", "notice") == []


@pytest.mark.parametrize(
    ("tally", "summary", "unreadable", "words"),
    [
        (
            {},
            RunSummary(enriched=1, closes=True, sampled_out=9),
            (),
            "low-grounded of all: too few drawn (1): --sample 1.",
        ),
        ({}, None, (), "There is no summary.json"),
        ({}, RunSummary(closes=False), (), "do not add up"),
        ({}, RunSummary(enriched=7, closes=True), (), "1 record; the last run wrote 7"),
        ({}, GOOD, ("a.avro: is damaged",), "a.avro: is damaged"),
        ({"claim": 0.85}, GOOD, (), "1 verdict resulted from other thresholds"),
    ],
    ids=["a sample", "no summary", "open counts", "several runs", "damage", "thresholds"],
)
def test_a_notice_warns_before_the_numbers_are_trusted(
    tally: dict[str, Any], summary: RunSummary | None, unreadable: tuple[str, ...], words: str
) -> None:
    page = page_of(tally_of(an_enriched(), **tally), summary, unreadable)
    [notice] = page.all("p", "notice")
    assert words in notice.text


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (None, None),
        (RunSummary(closes=True), None),
        (
            RunSummary(read=12, enriched=9, failures=1, duplicates=2, sampled_out=0),
            "The last run read 12 messages: 9 records, 1 failure, 2 duplicates.",
        ),
        (
            RunSummary(read=9, enriched=4, failures=0, duplicates=0, sampled_out=5),
            "The last run read 9 messages: 4 records, 0 failures, 0 duplicates, 5 sampled out.",
        ),
    ],
    ids=["no summary", "a bare one", "a whole one", "a sampled one"],
)
def test_the_counts_of_the_last_run_are_a_sentence(
    summary: RunSummary | None, sentence: str | None
) -> None:
    [totals] = page_of(tally_of(), summary).all("p", "totals")
    expected = f"0 records: 0 checked, 0 decided without a check. {sentence or ''}"
    assert " ".join(totals.text.split()) == expected.strip()


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            [an_enriched(), a_low(check=MODEL)],
            (
                "2 records: 2 checked, 0 decided without a check. Of the checked, 2 are scored; the"
                " checks made 2 calls, retries included."
            ),
        ),
        (
            [
                an_enriched(check=replace(MODEL, attempts=3)),
                a_low(check=None, verdict_reason="LOW_GROUNDED_ANSWER"),
                an_enriched(verdict=Verdict.POLICY_SKIPPED, check=None),
                an_enriched(
                    verdict=Verdict.UNSCORABLE, check=replace(MODEL, attempts=0, cached=True)
                ),
            ],
            (
                "4 records: 2 checked, 2 decided without a check (1 reported as low-grounded by the"
                " generator). Of the checked, 1 is scored and 1 has no claim to score; the checks"
                " made 3 calls, retries included, and used 1 cached reply."
            ),
        ),
    ],
    ids=["plain", "all kinds"],
)
def test_the_totals_are_reconciled_in_a_sentence(
    answers: list[EnrichedAnswer], sentence: str
) -> None:
    [totals] = page_of(tally_of(*answers), None).all("p", "totals")
    assert sentence in " ".join(totals.text.split())


def test_of_few_answers_no_percentage_is_on_the_page() -> None:
    others = an_enriched(verdict=Verdict.POLICY_SKIPPED, check=None), a_low(check=None)
    local = replace(MODEL, checker="local")
    page = page_of(tally_of(*[an_enriched(check=local)] * 3, a_low(), *others), GOOD)
    top = page.text.partition("Over time")[0].replace(figures.ACCURACY["local"], "")
    assert re.findall(r"\S*%", top) == []
    assert "2 of 5 scored answers" in page.all("h1")[0].text
    shares = [each.text for each in page.all("td", "number") if re.search("%| of ", each.text)]
    assert {*shares} == {"2 of 5"}


def test_a_group_of_thirty_answers_has_a_percentage() -> None:
    page = page_of(tally_of(*[an_enriched()] * 29, a_low()), GOOD)
    assert {each.text for each in page.all("td", "number") if "%" in each.text} == {"3.3%"}


def test_two_checkers_are_told_apart() -> None:
    [totals] = page_of(tally_of(*POPULATION), GOOD).all("p", "totals")
    assert "the second checker decided 11 and made 11 calls" in totals.text


def test_what_the_second_checker_decided_is_counted() -> None:
    escalated = (each for each in POPULATION if Tag.ESCALATED in each.tags)
    [totals] = page_of(tally_of(*escalated, pair(None)), GOOD).all("p", "totals")
    assert "the second checker decided 6" in totals.text
