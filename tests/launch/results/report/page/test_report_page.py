"""The page: self-contained, and untrusted text stays text."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundwatch import check
from groundwatch.launch.results.report.counts.tally import Tally
from groundwatch.launch.results.report.counts.timeline import OTHERS
from groundwatch.launch.results.report.page.report_page import filters_of, render
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import to_us
from groundwatch.transforms.rules.redaction import TextMode, redact
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import NOON_US, a_claim, a_fact, a_screen, an_enriched
from tests.support.pages import Element, Page, parse_page
from tests.support.pairs import POPULATION
from tests.support.reports import (
    BREAKOUT,
    CONTROLS,
    RIGHT_TO_LEFT,
    SCRIPT,
    WORD,
    a_low,
    findings_in,
    hostile_answers,
    row_of,
    write_enriched,
    write_lines,
    write_summary,
)

FORBIDDEN = frozenset({"img", "base", "iframe", "object", "embed", "form", "link"})
FAILURE = {
    "step": SCRIPT,
    "error_class": BREAKOUT,
    "error": SCRIPT + RIGHT_TO_LEFT,
    "retryable": True,
    "last_failed_at": "2026-03-03T12:00:00.000000Z",
}
ALERT = {
    "kind": SCRIPT,
    "severity": BREAKOUT,
    "engine": WORD,
    "event_time": SCRIPT,
    "rate": {"signal": SCRIPT, "state": BREAKOUT},
}


def html_of(folder: Path, *answers: EnrichedAnswer) -> str:
    write_enriched(folder, answers)
    return render(findings_in(folder), "out/demo")


def page_of(folder: Path, *answers: EnrichedAnswer) -> Page:
    return parse_page(html_of(folder, *answers))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page where every untrusted text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    write_lines(folder, "failures", FAILURE)
    write_lines(folder, "alerts", ALERT)
    write_enriched(folder, hostile_answers())
    write_summary(folder, checker=SCRIPT, run=BREAKOUT)
    return render(findings_in(folder), SCRIPT + RIGHT_TO_LEFT)


def test_a_hostile_text_makes_no_element(hostile: str) -> None:
    page = parse_page(hostile)
    assert page.tags.isdisjoint(FORBIDDEN)
    assert page.astray == []
    assert len(page.all("style")) == len(page.all("script")) == len(page.all("body")) == 1


def test_a_hostile_text_is_there_as_text(hostile: str) -> None:
    text = parse_page(hostile).text
    assert SCRIPT in text
    assert BREAKOUT in text
    assert "{{ 7 * 7 }}" in text


def test_directions_and_controls_are_named(hostile: str) -> None:
    assert not set(hostile) & (set(RIGHT_TO_LEFT) - set("gnihtyreve sesrever"))
    assert not set(hostile) & (set(CONTROLS) - set(map(chr, range(32, 127))))
    assert "⟨U+202E⟩gnihtyreve" in parse_page(hostile).text


def test_a_word_of_a_hundred_kilobytes_is_cut(hostile: str) -> None:
    assert max(map(len, re.findall("w+", hostile))) <= 6_000
    assert len(hostile) < 200_000


def test_no_element_has_a_handler_a_style_or_an_address_elsewhere(hostile: str) -> None:
    for element in parse_page(hostile).elements:
        assert not {name for name in element.attributes if name.startswith("on")}
        assert not {"src", "style", "action", "xlink:href"} & set(element.attributes)
        if "rel" not in element.attributes:
            assert element.attributes.get("href", "#").startswith("#")


def test_the_policy_allows_one_style_sheet_one_script_and_nothing_else(hostile: str) -> None:
    page = parse_page(hostile)
    [policy] = [
        element.attributes["content"]
        for element in page.all("meta")
        if element.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    style, script = (
        base64.b64encode(hashlib.sha256(page.all(tag)[0].text.encode()).digest()).decode()
        for tag in ("style", "script")
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}';"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def test_every_link_leads_to_a_section(hostile: str) -> None:
    page = parse_page(hostile)
    sections = {f"#{section.attributes['id']}" for section in page.all("section")}
    links = (link.attributes["href"] for link in page.all("a"))
    assert {link for link in links if link.startswith("#")} == sections


def test_a_fact_links_to_its_source_and_names_the_host(tmp_path: Path) -> None:
    uri = "https://docs.example.com/a?b=1&c=%22#d"
    facts = a_fact("Lamps.", uri=uri), a_fact("Kettles.", uri="javascript:alert(1)")
    page = page_of(tmp_path, a_low(facts=facts))
    [link] = [each for each in page.all("a") if "rel" in each.attributes]
    assert link.attributes == {"href": uri, "rel": "noopener noreferrer nofollow"}
    assert link.text == "docs.example.com"
    assert "javascript:alert(1)" in page.text


def test_an_address_that_is_cut_is_no_link(tmp_path: Path) -> None:
    fact = a_fact("Lamps.", uri=f"https://docs.example.com/{'a' * 5_000}")
    links = page_of(tmp_path, a_low(facts=(fact,))).all("a")
    assert not [each for each in links if "rel" in each.attributes]


def test_each_answer_names_what_it_can_be_filtered_by(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        a_low(engine="shop", tags=("B", "A"), event_time_us=7),
        a_low(engine=None, record_id="f" * 64, tags=(), event_time_us=None),
    )
    [engine, verdict, tag, _] = [
        {option.attributes["value"]: option.text for option in options}
        for options in options_of(page)
    ]
    assert engine == {"": "All", "0": "shop (1)", "1": "unknown (1)"}
    assert verdict == {"": "All", "0": "Low-grounded (2)"}
    assert tag == {"": "All", "0": "A (1)", "1": "B (1)"}
    first, second = (each.attributes for each in page.all("details", "answer"))
    assert (first["data-engine"], first["data-tag"].split(), first["data-time"]) == (
        *("0", ["1", "0"], "7"),
    )
    assert (second["data-engine"], second["data-tag"], second["data-time"]) == ("1", "", "")


def options_of(page: Page) -> Iterator[list[Element]]:
    """The options of each list of choices, in the order of the page."""
    for element in page.elements:
        if element.tag == "select":
            found = page.elements[page.elements.index(element) + 1 :]
            yield list(takewhile(lambda each: each.tag == "option", found))


def test_filters_count_the_records_that_are_not_on_the_page(tmp_path: Path) -> None:
    answers = [a_low("Lamps vote.", record_id=f"{n}", engine=f"e{n % 2}") for n in range(8)]
    page = page_of(tmp_path, *answers, an_enriched(engine="e0", tags=("LATE", "LATE")))
    [controls] = [each for each in page.all("div") if each.attributes.get("id") == "controls"]
    assert json.loads(controls.attributes["data-combinations"]) == [
        [0, 1, [1], 4],
        [1, 1, [1], 4],
        [0, 0, [0], 1],
    ]
    records = [int(each.attributes["data-records"]) for each in page.all("details", "answer")]
    assert records == [4, 4, 1]


def test_more_combinations_than_a_page_can_hold_are_counted_as_others() -> None:
    tally = Tally(Thresholds())
    for number in range(4_010):
        tally.add_answer(row_of(an_enriched(record_id=f"{number}", engine=f"e{number}", tags=())))
    assert tally.combinations.total() == 4_010
    assert tally.combinations[OTHERS, "GROUNDED", ()] == 2_010
    for number in range(2_100):
        tally.add_answer(row_of(an_enriched(record_id=f"{number}", tags=(f"T{number}",))))
    filters = filters_of(tally.combinations)
    assert sum(option.records for option in filters.verdicts.values()) == 6_110
    assert filters.verdicts[OTHERS].records == 101
    assert filters.numbers_of(("e9999", "GROUNDED", ("T9999",))) == (
        *(filters.engines[OTHERS].number, filters.verdicts["GROUNDED"].number, []),
    )


def test_the_controls_have_labels_and_are_hidden_without_script(tmp_path: Path) -> None:
    page = page_of(tmp_path, a_low())
    [controls] = [each for each in page.all("div") if each.attributes.get("id") == "controls"]
    assert "hidden" in controls.attributes
    for label in page.all("label"):
        [labelled] = [
            each for each in page.elements if each.attributes.get("id") == label.attributes["for"]
        ]
        assert labelled.tag in {"select", "input"}
        assert label.text.strip()


def trends_of(folder: Path, engines: list[str]) -> tuple[list[str], list[str]]:
    """The engines with charts, and the notes."""
    answers = [
        an_enriched(engine=name, record_id=f"{number:064}", event_time_us=NOON_US)
        for number, name in enumerate(engines)
    ]
    page = page_of(folder, *answers)
    drawn = [each.text.split()[0] for each in page.all("figcaption") if "records" in each.text]
    notes = [note.text for note in page.all("p", "note") if "Not drawn" in note.text]
    return drawn, notes


@pytest.mark.parametrize(
    ("engines", "drawn", "notes"),
    [
        (["shop", "help", "shop", "help", "shop"], ["shop", "help"], []),
        ([*"aabbccddeeff", "g", SCRIPT], [*"abcdef"], [f"Not drawn: {SCRIPT}, g."]),
        (["shop", "shop"], [], []),
    ],
    ids=["two", "more than are drawn", "one"],
)
def test_engines_are_compared_over_time(
    tmp_path: Path, engines: list[str], drawn: list[str], notes: list[str]
) -> None:
    assert trends_of(tmp_path, engines) == (drawn, notes)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (a_low("", claims=(), check=None, facts=()), "The record has no text of the answer."),
        (a_low("No.", claims=(), check=None, facts=()), "The record has no facts."),
    ],
    ids=["no text", "no facts"],
)
def test_an_answer_that_was_not_checked_is_shown(
    tmp_path: Path, answer: EnrichedAnswer, words: str
) -> None:
    assert words in page_of(tmp_path, answer).text


def test_every_picture_says_what_it_shows_or_is_hidden(tmp_path: Path) -> None:
    page = page_of(tmp_path, an_enriched(), a_low())
    for drawing in page.all("svg"):
        attributes = drawing.attributes
        if "plot" not in attributes["class"]:
            assert attributes.get("aria-hidden") == "true" or attributes["aria-label"]


def test_columns_are_stacked_from_the_base_line(tmp_path: Path) -> None:
    page = page_of(tmp_path, an_enriched(), a_low(), an_enriched(), an_enriched())
    bars = [bar.attributes for bar in page.all("rect") if "y" in bar.attributes]
    drawn = [tuple(bar[name] for name in ("class", "x", "y", "width", "height")) for bar in bars]
    assert drawn[:2] == [
        ("low", "0.000%", "75.000%", "100.000%", "25.000%"),
        ("grounded", "0.000%", "0.000%", "100.000%", "75.000%"),
    ]


def test_every_table_has_headers_and_every_region_a_name(tmp_path: Path) -> None:
    page = page_of(tmp_path, an_enriched(), a_low())
    assert len(page.all("table")) == len(page.all("thead"))
    assert all(cell.attributes.get("scope") for cell in page.all("th"))
    assert all(region.attributes["aria-label"] for region in page.all("div", "scroll"))


def test_colour_is_never_the_only_sign_of_a_claim(tmp_path: Path) -> None:
    [low] = page_of(tmp_path, a_low()).all("span", "unsupported")
    assert low.text == "glow. Kettles vote.2: 0.10 low"


@pytest.mark.parametrize(
    ("score", "css", "meaning"),
    [
        (0.0, "tint-0 unsupported", "low"),
        (0.39, "tint-1 unsupported", "low"),
        (0.4, "tint-2", "not low"),
        (0.8, "tint-4", "not low"),
        (1.0, "tint-4", "not low"),
        (None, "unchecked", "needs no check"),
    ],
)
@pytest.mark.parametrize("mode", [TextMode.FULL, TextMode.NONE])
def test_the_lower_the_score_the_deeper_the_tint(
    tmp_path: Path, score: float | None, css: str, meaning: str, mode: TextMode
) -> None:
    # A score of a claim that needs no check does not count.
    claim = a_claim("Lamps", score=score or 0.0, grounding_check_required=score is not None)
    text = page_of(tmp_path, redact(a_low("Lamps", claims=(claim,)), mode))
    drawn = text.all("span", "claim")[0]
    assert drawn.attributes["class"].split() == ["claim", *css.split()]
    said = meaning if score is None else f"{score:.2f} {meaning}"
    assert said in " ".join(text.text.split())


def test_the_omitted_bytes_are_counted(tmp_path: Path) -> None:
    text = "Lamps glow. " + "Kettles vote. " * 700
    page = page_of(tmp_path, a_low(text, claims=(a_claim("Lamps glow.", score=0.1),)))
    notes = [note.text for note in page.all("p", "omitted")]
    assert notes == ["3,812 of 9,812 bytes after this are omitted."]


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (TextMode.NONE, "The run kept no text (--text none), but scores and offsets."),
        (
            TextMode.HASH,
            "The run kept no text, only its hash (--text hash), but scores and offsets.",
        ),
    ],
)
def test_without_text_scores_and_offsets_are_shown(
    tmp_path: Path, mode: TextMode, said: str
) -> None:
    answers = [redact(answer, mode) for answer in (a_low(query="Secret?"), an_enriched())]
    page = page_of(tmp_path, *answers)
    assert said in page.text
    assert "6 to 25" in page.text
    assert not re.search("sha256:|Secret|Lamps|Kettles", page.text)


@pytest.mark.parametrize(
    "answers",
    [[], [an_enriched(event_time_us=None, facts=(), engine=None, session=None, check=None)]],
    ids=["no records", "a bare record"],
)
def test_a_run_with_few_fields_has_a_page(tmp_path: Path, answers: list[EnrichedAnswer]) -> None:
    page = page_of(tmp_path, *answers)
    assert page.astray == []
    assert page.all("h1")[0].text


def test_clocks_that_are_wrong_by_millennia_have_a_page(tmp_path: Path) -> None:
    # A time that was never set: Go writes the year 1 for it, some databases 9999.
    moments = datetime.min, datetime(2026, 3, 3), datetime.max  # noqa: DTZ001, DTZ901 - as UTC
    page = page_of(tmp_path, *(an_enriched(event_time_us=to_us(moment)) for moment in moments))
    assert "1 Jan 1, 00:00 to 31 Dec 9999, 23:59 UTC" in page.text


def test_the_cost_is_the_summary_s_unless_a_price_is_given(tmp_path: Path) -> None:
    write_enriched(tmp_path, [an_enriched()])
    write_summary(tmp_path, cost=12.5)
    findings = findings_in(tmp_path)
    assert "12.50" in parse_page(render(findings, "x")).text
    assert "0.52" in parse_page(render(findings, "x", price_per_1k_chars=20.0)).text


def test_two_checkers_have_a_section(tmp_path: Path) -> None:
    ids = (hashlib.sha256(bytes([number])).hexdigest() for number in range(100))
    write_summary(tmp_path, cost=0.5, characters=286)
    page = page_of(
        tmp_path,
        *(replace(each, record_id=own) for each, own in zip(POPULATION, ids, strict=False)),
    )
    [section] = (each.text for each in page.all("section") if each.attributes["id"] == "second")
    few = "too few audited (5): --escalate_share 0.8"
    assert " ".join(section.split()).count(f"56 6 5 0 2 of 4 {few}") == 2
    assert f"Low-grounded, if the second checker decided all: {few}." in section
    [calls] = (each.text for each in page.all("section") if each.attributes["id"] == "calls")
    characters = len(POPULATION) * a_screen().characters
    for_all = f"about {characters:,} characters, at a cost of {0.5 / 286 * characters:.2f}"
    assert for_all in " ".join(calls.split())


def test_one_checker_has_no_section_of_two(tmp_path: Path) -> None:
    page = page_of(tmp_path, an_enriched(screen=None))
    assert "second" not in {each.attributes["id"] for each in page.all("section")}
    assert "second checker" not in page.text


def test_contradictions_are_listed_below_the_answer(tmp_path: Path) -> None:
    mismatches = (
        Contradiction(claim=1, kind="UNIT", claim_value="5 km", fact_value="5 miles", fact=0),
        Contradiction(claim=0, kind="NUMBER", claim_value="7"),
    )
    text = " ".join(page_of(tmp_path, a_low(mismatches=mismatches)).text.split())
    assert "Claim 2 says 5 km, fact 1 5 miles." in text
    assert "Claim 1 says 7; no fact does." in text


@pytest.mark.parametrize(
    ("mismatches", "said"),
    [
        (
            (
                Contradiction(claim=1, kind="NUMBER", claim_value="7"),
                Contradiction(claim=1, kind="UNIT", claim_value="5 km", fact_value="5 mi", fact=0),
            ),
            ["5 km, source: 5 mi"],
        ),
        ((Contradiction(claim=1, kind="NUMBER", claim_value="7"),), ["7: in no source"]),
        ((Contradiction(claim=1, kind="NEGATION", claim_value="not", fact=0),), ["not, source: "]),
        # A value of a statement that is not the one on the line.
        ((Contradiction(claim=0, kind="NUMBER", claim_value="7"),), []),
        ((), []),
    ],
    ids=["contradiction", "in no source", "without a value", "of another claim", "none"],
)
def test_a_badge_says_what_differs_from_the_source(
    tmp_path: Path, mismatches: tuple[Contradiction, ...], said: list[str]
) -> None:
    badges = page_of(tmp_path, a_low(mismatches=mismatches)).all("b", "badge")
    assert len(badges) == len(said)
    for badge, words in zip(badges, said, strict=True):
        assert badge.text.startswith(words)


@pytest.mark.parametrize(
    ("answer", "fact", "said"),
    [
        (
            *("Delivery takes 10 working days.", "Delivery takes 5 to 7 working days."),
            "10 working days, source: 5 to 7",
        ),
        ("Delivery takes 10 days.", "Delivery takes 5 to 7 days.", "10 days, source: 5 to 7 days"),
        ("The code is 10 or 12 here.", "The code is 9 or 12 here.", "10, source: 9"),
    ],
)
def test_a_number_in_a_badge_has_its_unit(
    tmp_path: Path, answer: str, fact: str, said: str
) -> None:
    [badge] = page_of(tmp_path, check(answer, [fact])).all("b", "badge")
    assert badge.text == said


def test_every_low_grounded_answer_is_on_the_page_folded_behind_the_worst(tmp_path: Path) -> None:
    text, fact = "Kettles <vote> in May. " * 300, "Lamps glow & glow. " * 500
    claims = tuple(a_claim(text[:22], 23 * n, score=0.1, citations=(n % 9,)) for n in range(300))
    lows = [
        a_low(text, record_id=f"{n:064}", engine=f"e{n}", claims=claims, facts=(a_fact(fact),) * 9)
        for n in range(1_030)
    ]
    grounded = (an_enriched(record_id=f"{n:064}") for n in range(2_000, 2_040))
    html = html_of(tmp_path, *lows, *grounded)
    assert len(html.encode()) < 5_000_000
    page = parse_page(html)
    assert len(page.all("details", "answer")) == 1_000 + 3
    [folded] = page.all("details", "more")
    assert " ".join(folded.text.split()).startswith("980 more low-grounded answers, shortened: ")
    [omitted] = [each for each in page.all("p", "note") if each.attributes.get("id") == "omitted"]
    assert " ".join(omitted.text.split()).startswith(
        "Not on this page: 67 records. 30 of them are low-grounded:"
        " groundwatch report out/demo --answers 1030 shows more."
    )


def test_sentences_of_facts_are_quoted_below_the_answer(tmp_path: Path) -> None:
    answer = "The warranty is 3 years. You can return it within 30 days."
    facts = ["Sold in Berlin. The warranty is 2 years.", "You can return it within 30 days."]
    page = page_of(tmp_path, check(answer, facts))
    [quotes] = page.all("ul", "mismatches")
    assert " ".join(quotes.text.split()) == (
        "Claim 1 says 3 years, fact 1 2 years."
        " Fact 1 contradicts claim 1: “The warranty is 2 years.”"
        " Fact 2 supports claim 2: “You can return it within 30 days.”"
    )


def test_the_sentence_that_is_quoted_is_the_one_that_is_marked(tmp_path: Path) -> None:
    quoted = "Delivery takes 2 working days in Europe."
    fact = f"Orders before 15:00 leave at once. {quoted.replace(' ', '  ')} It is free."
    page = page_of(tmp_path, check(f"{quoted} Kettles vote.", [fact]))
    assert f"“{quoted}”" in page.text
    marks = [(each.text, each.attributes.get("class")) for each in page.all("mark")]
    assert marks == [(quoted.replace(" ", "  "), "supports")]


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_nothing_is_quoted_where_texts_were_not_kept(tmp_path: Path, mode: TextMode) -> None:
    record = check("The warranty is 3 years.", ["The warranty is 2 years."])
    page = page_of(tmp_path, redact(record, mode))
    assert page.all("ul", "mismatches") == []


@pytest.mark.parametrize(
    ("claim", "fact", "said"),
    [
        (0, "It is red.", "Claim 2 has the lowest score (0.10); no passage is near to it."),
        (
            *(0, "It is red. Kettles boil."),
            "Claim 2 has the lowest score (0.10); the nearest passage: “Kettles boil.”",
        ),
        (1, "Kettles boil.", None),
    ],
    ids=["nothing near", "a passage", "a value explains it"],
)
def test_the_passage_nearest_to_the_lowest_claim_is_quoted_where_nothing_explains_its_score(
    tmp_path: Path, claim: int, fact: str, said: str | None
) -> None:
    mismatches = (Contradiction(claim=claim, kind="NUMBER", claim_value="7"),)
    page = page_of(tmp_path, a_low(mismatches=mismatches, facts=(a_fact(fact),)))
    notes = [" ".join(each.text.split()) for each in page.all("p", "note")]
    assert [each for each in notes if "lowest score" in each] == [said] * bool(said)


def test_a_fact_that_contradicts_comes_first_with_its_value_marked(tmp_path: Path) -> None:
    mismatch = Contradiction(claim=1, kind="NUMBER", claim_value="9", fact_value="7 (!)", fact=2)
    facts = a_fact("Lamps."), a_fact("Kettles."), a_fact("Up to 7 (!) or 8 votes.")
    page = page_of(tmp_path, a_low(facts=facts, mismatches=(mismatch,)))
    first, second, _ = (" ".join(each.text.split()) for each in page.all("p", "source"))
    assert (first, second) == ("Fact 3 contradicts claim 2", "Fact 1 supports claim 1")
    marks = [(each.text, each.attributes.get("class")) for each in page.all("mark")]
    assert marks == [("7 (!)", None), ("Lamps.", "supports")]


def test_equal_folders_make_equal_pages(tmp_path: Path) -> None:
    answers = [an_enriched(), a_low()]
    assert html_of(tmp_path, *answers) == html_of(tmp_path, *answers)


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        ("low_grounded", "low-grounded opened"),
        (
            "skip_reason:USER_DEFINED_CLASSIFICATION_QUERY_IGNORED",
            "skip_reason:USER_DEFINED_CLASSIFICATION_QUERY_IGNORED opened",
        ),
    ],
)
def test_a_rate_alert_is_named_by_its_signal(tmp_path: Path, signal: str, text: str) -> None:
    write_lines(tmp_path, "alerts", {"kind": "rate", "rate": {"signal": signal, "state": "open"}})
    assert text in page_of(tmp_path, an_enriched()).text


def test_a_record_has_a_link_to_its_address_and_no_text_leaves_its_place(tmp_path: Path) -> None:
    write_enriched(tmp_path, [a_low(engine='"><script>')])
    template = "https://viewer.example/{engine}/{record_id}"
    page = render(findings_in(tmp_path), "out", url_template=template)
    assert f'href="https://viewer.example/%22%3E%3Cscript%3E/{a_low().record_id}"' in page
    assert "viewer.example" not in html_of(tmp_path)


def test_only_scores_of_low_grounded_answers_are_red(tmp_path: Path) -> None:
    page = page_of(tmp_path, a_low(record_id="a" * 64), an_enriched(record_id="b" * 64))
    scores = {each.text.strip(): each.attributes["class"] for each in page.all("span", "score")}
    assert scores == {"0.10": "score is-low", "0.80": "score"}


@pytest.mark.parametrize("engine", [None, "shop"])
@pytest.mark.parametrize(("time_us", "is_low"), [(None, False), (NOON_US, True), (NOON_US, False)])
def test_what_an_answer_is_has_no_stray_dot(
    tmp_path: Path, engine: str | None, time_us: int | None, is_low: bool
) -> None:
    make = a_low if is_low else an_enriched
    page = page_of(tmp_path, make(engine=engine, event_time_us=time_us, query=None))
    [said] = [each.text for each in page.all("small") if "Grounded" in each.text or is_low][:1]
    words = ["Grounded"] * (not is_low) + ["3 Mar 2026, 12:00"] * (time_us is not None)
    assert said.strip() == " · ".join([*words, *filter(None, [engine])])


def test_sessions_of_one_answer_are_counted_and_not_listed(tmp_path: Path) -> None:
    sessions = ["twice", "twice", *(f"once-{number}" for number in range(20))]
    page = page_of(
        tmp_path, *(a_low(record_id=f"{n:064x}", session=each) for n, each in enumerate(sessions))
    )
    section = next(each for each in page.all("section") if each.attributes["id"] == "where")
    listed = section.text.partition("By session")[2]
    assert "twice" in listed
    assert "once-" not in listed
    assert "20 sessions of one record are not listed." in listed
    assert "The first" not in listed
    once = page_of(tmp_path / "once", a_low(session="once"))
    assert "1 session of one record is not listed." in once.text
    assert "The records name none." not in once.text.partition("By session")[2]
