"""The report in a real browser. Where none is installed, the summary of the tests says so."""

from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from groundwatch import check
from groundwatch.launch.cli.main import main
from groundwatch.launch.results.report.write_report import write_report
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.browser import look, one_browser
from tests.support.builders import NOON_US, an_enriched
from tests.support.reports import (
    BREAKOUT,
    SCRIPT,
    a_low,
    hostile_answers,
    write_enriched,
    write_lines,
    write_summary,
)

browser = pytest.fixture(scope="module")(one_browser)
PHONE, DESK = 390, 1280
WIDTHS = pytest.mark.parametrize("width", [PHONE, DESK], ids=["phone", "desk"])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of four runs."""
    ordinary = [
        an_enriched(
            record_id=f"{number:064x}",
            event_time_us=NOON_US + number * HOUR_US,
            verdict=list(Verdict)[number % len(Verdict)],
            engine=f"engine-{number % 5}",
            session=f"a-session-with-a-long-name-{number}",
        )
        for number in range(60)
    ] + [a_low(record_id=f"{number:064d}") for number in range(1, 8)]
    answers = {
        "ordinary": ordinary,
        "hostile": [*hostile_answers(), replace(a_low("Lamps " * 5_000), record_id="f" * 64)],
        "without text": [redact(answer, TextMode.HASH) for answer in hostile_answers()],
        "empty": [],
    }
    folder = tmp_path_factory.mktemp("reports")
    reports = {name: _report(folder / name, name, written) for name, written in answers.items()}
    folders = str(folder / "ordinary"), str(folder / "hostile")
    comparison = folder / "comparison.html"
    assert main(["report", *folders, "--output", str(comparison)]) == 0
    return reports | {"comparison": comparison}


@pytest.fixture(scope="module")
def filtered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three answers that differ in engine, verdict, tag, text and time."""
    answers = [
        a_low(record_id=f"{1:064}", engine="shop", event_time_us=NOON_US),
        a_low("Lamps glow in Peru.", record_id=f"{2:064}", engine="help", event_time_us=None),
        an_enriched(record_id=f"{3:064}", engine="shop", event_time_us=NOON_US + 1, tags=("LATE",)),
    ]
    return _report(tmp_path_factory.mktemp("filtered"), "filtered", answers)


def _report(folder: Path, name: str, answers: list[EnrichedAnswer]) -> Path:
    write_enriched(folder, answers)
    write_summary(folder)
    if name == "ordinary":
        rate = {"signal": "low_grounded", "state": "open", "share": 0.5, "answers": 12}
        write_lines(folder, "alerts", {"kind": "rate", "engine": "engine-1", "rate": rate})
        failure = {"step": "CheckGrounding", "error_class": "UnreadableAnswer", "error": "No JSON."}
        write_lines(folder, "failures", failure)
    if name == "hostile":
        write_lines(folder, "failures", {"step": SCRIPT, "error_class": BREAKOUT, "error": SCRIPT})
    return Path(write_report(str(folder))[0])


@pytest.mark.parametrize("name", ["ordinary", "hostile", "without text", "empty", "comparison"])
@WIDTHS
def test_nothing_is_requested_nothing_is_clipped_and_nothing_scrolls_sideways(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    with look(browser, pages[name], width) as found:
        assert found.addresses == [pages[name].as_uri()]
        assert found.page.title().startswith("groundwatch: ")
        found.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert found.page.evaluate("document.documentElement.scrollWidth") == width
        wide = """[...document.querySelectorAll('.scroll')]
            .filter(e => e.scrollWidth > e.clientWidth).map(e => e.ariaLabel)"""
        assert found.page.evaluate(wide) == []
        assert found.complaints == []


def test_right_to_left_text_does_not_affect_its_neighbours(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with look(browser, pages["hostile"], DESK) as found:
        kinds = found.page.evaluate(
            "[...document.querySelectorAll('bdi')].map(e => getComputedStyle(e).unicodeBidi)"
        )
        assert set(kinds) == {"isolate"}
        assert "⟨U+202E⟩gnihtyreve sesrever" in found.page.inner_text("main")


@pytest.mark.parametrize(
    ("scheme", "paper"), [("light", "rgb(252, 252, 250)"), ("dark", "rgb(20, 24, 26)")]
)
def test_both_colour_schemes_are_applied(
    browser: Browser, pages: dict[str, Path], scheme: Literal["light", "dark"], paper: str
) -> None:
    with look(browser, pages["ordinary"], DESK, scheme) as found:
        drawn = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert drawn == paper


def test_injected_styles_and_scripts_are_blocked(browser: Browser, pages: dict[str, Path]) -> None:
    with look(browser, pages["ordinary"], DESK) as found:
        refused = found.page.evaluate(
            """() => {
                const style = document.createElement('style');
                style.textContent = 'body { background: rgb(1, 2, 3) !important }';
                document.body.append(style);
                const refused = attempt => {
                    try { attempt() } catch (error) { return error.name }
                };
                return [
                    () => document.createElement('script').textContent = "document.title = 1",
                    () => document.body.innerHTML = '<img src=x onerror=document.title=1>',
                    () => document.body.setAttribute('onclick', 'document.title = 1'),
                ].map(refused);
            }"""
        )
        assert refused == ["TypeError"] * 3
        assert found.page.title().startswith("groundwatch: ")
        drawn = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert drawn == "rgb(252, 252, 250)"


def shown(page: Page) -> list[str | None]:
    """The record ids of the answers that can be seen, in their order."""
    seen = page.locator("details.answer:not([hidden])").all()
    return [(each.locator(".origin .code").last.text_content() or "")[-2:] for each in seen]


def test_answers_are_filtered_and_sorted_by_keyboard(browser: Browser, filtered: Path) -> None:
    with look(browser, filtered, DESK) as found:
        page = found.page
        status = page.get_by_role("status")
        assert shown(page) == ["01", "02", "03"]
        assert status.inner_text() == "Answers shown: 3, for 3 of 3 records."
        words = page.get_by_label("Words")
        page.get_by_label("Engine", exact=True).focus()
        page.keyboard.type("help")
        assert shown(page) == ["02"]
        assert status.inner_text() == "Answers shown: 1, for 1 of 1 records."
        for _ in range(5):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert shown(page) == ["01", "02", "03"]
        assert words.evaluate("e => e === document.activeElement")
        page.keyboard.type("VOTE  kettles")
        assert shown(page) == ["01"]
        words.fill("")
        for name, option in (("Tag", "LATE (1)"), ("Verdict", "Grounded (1)")):
            page.get_by_label(name, exact=True).select_option(label=option)
            assert shown(page) == ["03"]
            page.get_by_label(name, exact=True).select_option("")
        for order, expected in (
            ("newest", ["03", "01", "02"]),
            ("oldest", ["01", "03", "02"]),
            ("engine", ["02", "01", "03"]),
            ("score", ["01", "02", "03"]),
        ):
            page.get_by_label("Sort by").select_option(order)
            assert shown(page) == expected, order
        assert found.complaints == []


def test_a_filter_says_how_many_records_it_leaves_out(browser: Browser, tmp_path: Path) -> None:
    answers = [a_low("Lamps vote.", record_id=f"{n:064}") for n in range(15)] + [
        an_enriched(record_id=f"{n:064}", tags=("LATE",) if n % 2 else ()) for n in range(50, 80)
    ]
    with look(browser, _report(tmp_path, "left out", answers), DESK) as found:
        page = found.page
        status, omitted = page.get_by_role("status"), page.locator("#omitted")
        assert page.locator(".times").all_inner_texts() == ["\N{MULTIPLICATION SIGN} 15"]
        assert status.inner_text() == "Answers shown: 4, for 18 of 45 records."
        assert omitted.inner_text().startswith("Not on this page: 27 records.")
        assert f"groundwatch export {tmp_path} --to csv" in omitted.inner_text()
        page.get_by_label("Verdict", exact=True).select_option(label="Low-grounded (15)")
        assert status.inner_text() == "Answers shown: 1, for 15 of 15 records."
        assert not omitted.is_visible()
        page.get_by_label("Verdict", exact=True).select_option("")
        page.get_by_label("Tag", exact=True).select_option(label="LATE (15)")
        seen = page.locator("details.answer:not([hidden])").count()
        assert status.inner_text() == f"Answers shown: {seen}, for {seen} of 15 records."
        assert omitted.inner_text().startswith(f"Not on this page: {15 - seen} records.")
        page.get_by_label("Words").fill("lamps")
        assert status.inner_text().endswith("Words are searched for on this page only.")
        assert not omitted.is_visible()


@pytest.mark.parametrize(("width", "height"), [(DESK, 800), (PHONE, 844)], ids=["desk", "phone"])
def test_the_first_wrong_sentence_is_on_the_first_screen(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    wrong = check("The warranty is 3 years.", ["The warranty is 2 years."])
    with look(browser, _report(tmp_path, "wrong", [an_enriched(), wrong]), width) as found:
        found.page.set_viewport_size({"width": width, "height": height})
        first = found.page.locator(".answer .summary").first
        assert first.inner_text().startswith("3 years, source: 2 years The warranty is 3 years.")
        place = first.bounding_box()
        assert place
        assert place["y"] + place["height"] < height


def test_on_a_phone_the_filters_are_folded(browser: Browser, filtered: Path) -> None:
    for width, is_open in ((PHONE, False), (DESK, True)):
        with look(browser, filtered, width) as found:
            assert found.page.get_by_label("Words").is_visible() is is_open


def test_folded_answers_are_found_by_a_filter(browser: Browser, tmp_path: Path) -> None:
    answers = [a_low(f"Lamps {n} vote.", record_id=f"{n:064}") for n in range(25)]
    with look(browser, _report(tmp_path, "folded", answers), DESK) as found:
        page = found.page
        assert not page.get_by_text("24 vote.").first.is_visible()
        page.get_by_label("Words").fill("lamps 24 vote")
        assert page.get_by_text("24 vote.").first.is_visible()
        assert page.get_by_role("status").inner_text().startswith("Answers shown: 1.")
        page.get_by_role("button", name="Show all").click()
        assert page.locator(".answer:visible").count() == 25


def test_a_long_name_breaks_at_its_capitals(browser: Browser, pages: dict[str, Path]) -> None:
    with look(browser, pages["ordinary"], PHONE) as found:
        name = found.page.locator("#failures th bdi").first
        name.evaluate("e => { e.style.display = 'block'; e.style.width = '12ch' }")
        assert name.inner_text() == "UnreadableAnswer"
        lines_of_parts = name.evaluate(
            """e => [...e.childNodes].filter(part => part.length).map(part => {
                const range = document.createRange();
                range.selectNode(part);
                return range.getClientRects().length;
            })"""
        )
        assert lines_of_parts == [1, 1]


@WIDTHS
def test_the_labels_of_an_axis_stand_beside_the_bars_and_columns_fill_their_chart(
    browser: Browser, pages: dict[str, Path], width: int
) -> None:
    with look(browser, pages["ordinary"], width) as found:
        edges = found.page.evaluate(
            """[...document.querySelectorAll('.chart')].map(chart => [
                Math.min(...[...chart.querySelectorAll('.value')]
                    .map(e => e.getBoundingClientRect().left)),
                Math.max(...[...chart.querySelectorAll('.value')]
                    .map(e => e.getBoundingClientRect().right)),
                chart.querySelector('.base').getBoundingClientRect().left])"""
        )
        assert edges
        assert all(0 <= left < right < base for left, right, base in edges)
        plot, *bars = found.page.evaluate(
            """[document.querySelector('.plot > .base'),
                ...document.querySelectorAll('#time .chart:first-of-type .plot g rect')]
               .map(e => e.getBoundingClientRect()).map(r => [r.left, r.right, r.width])"""
        )
        assert min(left for left, _, _ in bars) == pytest.approx(plot[0], abs=2)
        assert max(right for _, right, _ in bars) == pytest.approx(plot[1], abs=2)
        assert min(wide for _, _, wide in bars) > 3


def test_without_script_all_answers_can_be_read(browser: Browser, filtered: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(filtered.as_uri())
    assert not page.locator("#controls").is_visible()
    second = page.locator("details.answer").nth(1)
    second.locator("summary").press("Enter")
    assert second.locator(".origin").is_visible()
    context.close()
