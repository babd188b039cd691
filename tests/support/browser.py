"""A real browser, where one is installed; it makes no requests of its own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

ABSENT = (
    "NO BROWSER: the report was not looked at in one. Install Chromium (apt-get install chromium),"
    " or name it: CHROMIUM=/path/to/chromium"
)


def find_chromium() -> str | None:
    """The path of a Chromium: that in the environment's CHROMIUM, else the first one installed."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, _NAMES)), None)


@dataclass
class Look:
    """A page as it was opened once: what the browser complained of, and what it asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """Run a browser without a window."""
    # Chromium's sandbox does not work for root, as which containers often run.
    arguments = [*_QUIET, "--no-sandbox"] if os.geteuid() == 0 else list(_QUIET)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def one_browser() -> Iterator[Browser]:
    """Run one browser for all tests of a module; skip them where none is installed."""
    path = find_chromium()
    if path is None:
        pytest.skip(ABSENT)
    with chromium(path) as running:
        yield running


@contextmanager
def look(
    browser: Browser, path: Path, width: int, scheme: Literal["light", "dark"] = "light"
) -> Iterator[Look]:
    """Open a file in a window of a width, in pixels."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    try:
        found = Look(context.new_page())
        found.page.on("console", lambda message: found.complaints.append(message.text))
        found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
        found.page.on("request", lambda request: found.addresses.append(request.url))
        found.page.goto(path.as_uri())
        yield found
    finally:
        context.close()
