"""Texts that cutting and counting stumble over."""

from hypothesis import strategies as st

_PIECES = (
    "Lamps glow red. ",
    "two three ",
    "日本語です。",
    "- An item. ",
    "| Plan. A | B |",
    "\n",
    "…",
    "é",
    "🙂",
    "\u2028",
    ".",
    "e.g. ",
    "[1]",
)

any_text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from(_PIECES)).map("".join),
)
"""Any text, and sentences of several scripts, lines and marks."""

said_text = any_text.filter(lambda text: not text.isspace() and text != "")
"""Any text that is not white space alone."""
