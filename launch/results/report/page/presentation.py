"""Format verdicts, times and untrusted text for the page."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from groundwatch.launch.cli.terminal.figures import format_time
from groundwatch.schemas.quantities import DAY_US
from groundwatch.schemas.verdict import Verdict

_LINK = re.compile(
    r"https?://(?P<host>[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?([/?#][^\s\\\"'<>^`{|}]*)?",
    re.ASCII | re.IGNORECASE,
)
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_/.:-])(?=\w)")
_BIDI_CONTROLS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_OTHER_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, *range(0xFFF9, 0xFFFC))
_VISIBLE = {
    code: f"⟨U+{code:04X}⟩"
    for code in (*_BIDI_CONTROLS, *_OTHER_CONTROLS)
    if chr(code) not in "\t\n"
}


class VerdictStyle(NamedTuple):
    """A verdict's name on the page, and its class in the style sheet."""

    verdict: str
    name: str
    css: str


_STYLES = (
    VerdictStyle(Verdict.LOW_GROUNDED, "Low-grounded", "low"),
    VerdictStyle(Verdict.POLICY_SKIPPED, "Policy-skipped", "policy"),
    VerdictStyle(Verdict.GENERATION_FAILED, "Generation failed", "failed"),
    VerdictStyle(Verdict.INCOMPLETE, "Incomplete", "incomplete"),
    VerdictStyle(Verdict.UNSCORABLE, "Unscorable", "unscorable"),
    VerdictStyle(Verdict.NOT_ANSWERED, "Not answered", "unanswered"),
    VerdictStyle(Verdict.GROUNDED, "Grounded", "grounded"),
)


def verdict_styles(verdicts: Iterable[str]) -> list[VerdictStyle]:
    """Return the styles of all verdicts, and of unknown ones, from the base line up."""
    unknown = sorted(set(verdicts) - {style.verdict for style in _STYLES})
    return [*(VerdictStyle(name, name, "unknown") for name in unknown), *_STYLES]


def visible(value: object) -> object:
    """Replace control characters in text that is not markup by names such as ``⟨U+202E⟩``."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return value.replace("\r\n", "\n").replace("\r", "\n").translate(_VISIBLE)
    return value


def breakable(name: str) -> Markup:
    """Let a line break before the capitals of a name such as UnreadableAnswer, and after signs."""
    return Markup("<wbr>").join(_PARTS.split(str(visible(name))))


def marked(text: str, values: Iterable[str | None], sentences: Iterable[str] = ()) -> Markup:
    """Mark the first places of values, and of sentences that support a claim, in a text."""
    supports = Markup('<mark class="supports">{}</mark>')
    known = dict.fromkeys(filter(None, values), Markup("<mark>{}</mark>"))
    known |= dict.fromkeys(filter(None, sentences), supports)
    parts: list[str] = []
    for _ in known:  # compiling a pattern of them takes longer than these searches
        before, part, text = min(map(text.partition, known), key=lambda cut: len(cut[0]))
        parts += str(visible(before)), known[part].format(visible(part)) if part else ""
    return Markup().join([*parts, str(visible(text))])


def document(key: str) -> str:
    """Shorten the resource name of a document to the part after its data store."""
    _, store, place = key.partition("/dataStores/")
    return place if store and key.startswith("projects/") else key


def web_host(uri: str | None) -> str | None:
    """Return the host of a URI that may be a link; None if it may not.

    Only http and https, and only what every browser reads in the same way: no user name before the
    host, no backslash, no white space.
    """
    found = _LINK.fullmatch(uri or "")
    return found["host"] if found and found.string.isprintable() else None


def format_bucket(time_us: int, width_us: int) -> str:
    """Format the start of a time bucket, no finer than its width."""
    parts = "{0.day} {0:%b}, {0:%H:%M}" if width_us < DAY_US else "{0.day} {0:%b} {0.year}"
    return format_time(time_us, parts)
