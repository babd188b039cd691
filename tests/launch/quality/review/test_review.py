"""The review as people use it: in a browser, and as others may try to misuse it."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import httpx
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from tests.support.browser import one_browser
from tests.support.builders import a_fact, an_enriched
from tests.support.reports import a_low, hostile_answers, write_enriched
from tests.support.reviews import labels_in, served
from tests.support.waiting import wait_until

browser = pytest.fixture(scope="module")(one_browser)
PHONE, DESK = 390, 1280
HEADING = "h1"


def answers(first: int, last: int) -> list[EnrichedAnswer]:
    return [
        a_low(record_id=f"{n:064x}", min_claim_score=n / 1_000, answer_text=f"Lamps {n}. Kettles.")
        for n in range(first, last)
    ]


def press(page: Page, key: str) -> None:
    """Press a key that leads to another page, or to this one anew."""
    with page.expect_navigation():
        page.keyboard.press(key)


def test_answers_are_labelled_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, answers(0, 10))
    with served(folder) as address:
        page = browser.new_page()
        page.goto(address)
        press(page, "Enter")
        for number in range(8):
            if number == 4:
                page.reload()
            press(page, "u" if number % 2 else "s")
        press(page, "k")
        expect(page.get_by_role("button", name="unsupported")).to_have_attribute(
            "aria-pressed", "true"
        )
        press(page, "z")
        expect(page.locator(".verdict .label")).to_have_count(0)
        assert "7 labelled answers" in httpx.get(address).text
        # A claim of the answer, chosen by keyboard; the next one is chosen then.
        press(page, "ArrowDown")
        press(page, "u")
        expect(page.locator("a.claim.selected")).to_contain_text("2")
        page.close()
    lines = labels_in(folder)
    assert [each["record_id"] for each in lines[:8]] == [f"{n:064x}" for n in range(8)]
    assert [each["label"] for each in lines[:8]] == ["supported", "unsupported"] * 4
    assert lines[8]["label"] is None
    assert lines[9]["span"] == [0, 5]
    assert {each["labeller"] for each in lines} == {"ada"}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_the_first_answer_is_on_the_first_screen(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    write_enriched(tmp_path / "out", answers(0, 3))
    with served(tmp_path / "out") as address:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(address)
        place = page.locator("#list a").first.bounding_box()
        assert place
        assert place["y"] + place["height"] < height
        page.keyboard.press("/")
        expect(page.get_by_label("Words")).to_be_focused()
        page.close()


def test_a_second_tab_and_new_files_of_a_worker_are_seen(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, answers(0, 3), "first")
    with served(folder) as address:
        first, second = browser.new_page(), browser.new_page()
        for page in (first, second):
            page.goto(address)
        press(first, "Enter")
        press(first, "u")
        second.reload()
        expect(second.locator(".label.unsupported")).to_have_count(1)
        write_enriched(folder, answers(3, 8), "second")
        wait_until(lambda: "8 of 8" in ((second.reload() and second.text_content(HEADING)) or ""))
        first.close()
        second.close()


def test_an_answer_that_another_review_labels_is_not_drawn(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, answers(0, 2))
    with served(folder) as first, served(folder) as second:
        drawn = [
            re.findall("record/(\\w+)", httpx.get(f"{each}draw").headers["Location"])[0]
            for each in (first, first, second)
        ]
        assert len(set(drawn)) == 1
        form = {"record_id": drawn[0], "label": "supported", "sample": "flagged"}
        origin = {"Origin": re.sub(r"/[^/]+/$", "", first)}
        assert httpx.post(f"{first}label", data=form, headers=origin).status_code == 303
        assert drawn[0] not in httpx.get(f"{second}draw").headers["Location"]
    assert len(labels_in(folder)) == 1


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A review of hostile records, and of one with a long answer."""
    folder = tmp_path_factory.mktemp("hostile") / "out"
    long = a_low("Lamps " + "x y. " * 20_000, record_id="f" * 64)
    write_enriched(folder, [*hostile_answers(), long])
    with served(folder) as address:
        yield address


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
def test_hostile_records_do_nothing(
    browser: Browser, hostile: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    with closing(
        browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    ) as context:
        page = context.new_page()
        complaints: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        ids = [*(each.record_id for each in hostile_answers()), "f" * 64]
        places = [f"record/{each}" for each in ids]
        for place in ("", *places, *(f"{each}?claim=2" for each in places), "labels"):
            page.goto(hostile + place)
            assert page.title().startswith("groundwatch")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, place
        assert complaints == []
        assert all(each.startswith(hostile) for each in requests)


def test_drawn_answers_give_an_estimate_and_thresholds(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    good = [an_enriched(record_id=f"{n:064x}", min_claim_score=0.9) for n in range(100, 140)]
    low = [replace(each, facts=(a_fact(f"Lamp {n}."),)) for n, each in enumerate(answers(0, 20))]
    write_enriched(folder, [*low, *good])
    with served(folder) as address:
        page = browser.new_page()
        page.goto(address)
        press(page, "d")
        for number in range(40):
            if number == 6:
                few = httpx.get(f"{address}labels?goal=precision&value=0.5").text
            is_flagged = "Kettles" in (page.text_content(".text") or "")
            press(page, "u" if is_flagged else "s")
        press(page, "q")
        expect(page.locator("dl.tiles dd").first).to_have_text("100.0%")
        page.fill("#value", "0.5")
        page.get_by_role("button", name="Calibrate").click()
        page.get_by_role("button", name="Write the thresholds").click()
        expect(page.locator(".notice")).to_contain_text("thresholds.yaml")
        page.close()
    assert "No thresholds: a precision of 0.5 is not shown: " in few
    assert "Write the thresholds" not in few
    samples = [each["sample"] for each in labels_in(folder)]
    assert samples.count("flagged") >= 3
    assert samples.count("other") >= 3
    assert "claim_threshold" in (tmp_path / "thresholds.yaml").read_text()


def test_only_its_own_pages_can_read_and_label(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, answers(0, 3))
    with served(folder) as address:
        base = re.sub(r"/[^/]+/$", "", address)
        own = {"Origin": base}
        form = {"record_id": f"{0:064x}", "label": "supported"}
        for path in ("/", "/x/", "//", "/../etc/passwd", f"/{'a' * 32}/record/{0:064x}"):
            assert httpx.get(base + path).status_code == 403, path
        for path in ("record/../../etc/passwd", "record/%2Fetc%2Fpasswd", "record/x", "static/x"):
            assert httpx.get(address + path).status_code in {403, 404}, path
        for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            assert httpx.post(f"{address}label", data=form, headers=headers).status_code == 403
        assert httpx.get(f"{address}label").status_code == 404
        changes = [{"label": "owned"}, {"record_id": "x"}, {"label": "supported"}]
        changes += [{"claim": each} for each in ("0", "-1", "99", "zz")]
        for change in changes:
            answer = httpx.post(f"{address}label", data={**form, **change}, headers=own)
            assert (answer.status_code == 303) == (change == {"label": "supported"}), change
            assert "<h1>Bad Request</h1>" in answer.text or change not in changes[3:]
        assert httpx.post(f"{address}label", content=b"x" * 100_000).status_code == 413
        assert httpx.post(f"{address}undo", headers=own).status_code == 303
        assert httpx.post(f"{address}undo", headers=own).status_code == 404
        for query in ("?page=-1", f"?page={'9' * 40}", "?from=nan&to=-1", "?claim=x", "?x=1"):
            assert httpx.get(address + query).status_code == 200, query
        for query in ("?from=x", "?since=yesterday", "?order=x", "labels?goal=recall&value=2"):
            assert httpx.get(address + query).status_code == 400, query
        policy = httpx.get(address).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
    assert [each["label"] for each in labels_in(folder)] == ["supported", None]
