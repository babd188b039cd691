"""Draw the README's pictures from the demo: `python -m tests.pictures`."""

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, FloatRect, Page
from rich.console import Console
from rich.text import Text

from tests.support.browser import ABSENT, chromium, find_chromium
from tests.support.commands import GROUNDWATCH, run
from tests.support.repository import ROOT

DOCS = ROOT / "docs"
_COLUMNS, _LINES = 84, 26
_WIDTH_PX, _HEIGHT_PX, _MARGIN_PX = 1000, 1600, 16
_DESK_PX, _PHONE_PX, _REVIEW_HEIGHT_PX = 1280, 390, 800
_TAG = "NUMBER_MISMATCH"


def draw_terminal(printed: str) -> str:
    """Draw the first lines of what the demo prints, as SVG without external fonts."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    lines = printed.strip("\n").split("\n")[:_LINES]
    console.print(Text.from_ansi("\n".join(["$ groundwatch demo", *lines])))
    drawn = console.export_svg(title="groundwatch demo", unique_id="demo")
    return re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


def draw_contradiction(page: Page, path: Path) -> None:
    """Draw an answer of a report beside the first two of its facts, of which one contradicts it."""
    options = page.get_by_label("Tag", exact=True)
    options.select_option(options.locator("option", has_text=_TAG).get_attribute("value"))
    answer = page.locator("details.answer:not([hidden])").first
    answer.evaluate("answer => { answer.open = true }")
    whole = answer.bounding_box()
    last = answer.locator(".facts li").nth(1).bounding_box()
    assert whole
    assert last
    clip = FloatRect(
        x=0,
        y=whole["y"] - _MARGIN_PX,
        width=_WIDTH_PX,
        height=last["y"] + last["height"] - whole["y"] + _MARGIN_PX,
    )
    page.screenshot(path=path, type="jpeg", quality=80, clip=clip, full_page=True)


def draw_review(browser: Browser, folder: Path) -> None:
    """Draw the list and an answer of the review, on a desk and on a phone."""
    command = (sys.executable, *GROUNDWATCH, "review", "out/demo", "--port", "0")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        address = server.stdout.readline().strip() if server.stdout else ""
        for name, width in (("", _DESK_PX), ("_phone", _PHONE_PX)):
            page = browser.new_page(viewport={"width": width, "height": _REVIEW_HEIGHT_PX})
            page.goto(address)
            while not re.fullmatch(r"(\d+) of \1 answers", page.locator("h1").inner_text()):
                page.reload()
            page.screenshot(path=DOCS / f"review_list{name}.jpg", type="jpeg", quality=60)
            page.goto(f"{address}?reason=CONTRADICTION")
            page.locator("#list a").first.click()
            page.screenshot(path=DOCS / f"review_answer{name}.jpg", type="jpeg", quality=60)
        server.send_signal(signal.SIGINT)


def main() -> None:
    """Run the demo, and write the pictures."""
    os.environ |= {"FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS)}
    with tempfile.TemporaryDirectory() as folder:
        # The pictures show the paths.
        os.chdir(folder)
        exit_status, printed, complained = run(*GROUNDWATCH, "demo")
        if exit_status:
            sys.exit(complained)
        (DOCS / "terminal.svg").write_text(draw_terminal(printed), encoding="utf-8")
        with chromium(find_chromium() or sys.exit(ABSENT)) as browser:
            page = browser.new_page(viewport={"width": _WIDTH_PX, "height": _HEIGHT_PX})
            page.goto(Path(folder, "out/demo/report.html").as_uri())
            draw_contradiction(page, DOCS / "contradiction.jpg")
            draw_review(browser, Path(folder))


if __name__ == "__main__":
    main()
