"""Texts of one content are joined, with a blank line around what stands between them."""

import pytest

from groundwatch.transforms.formats.text_parts import join_parts, separate_parts

CASES = {
    "parts of one text": (["The lamp", " is ", "blue."], "The lamp is blue."),
    "a call between": (["It is 1", None, "2 years."], "It is 1\n\n2 years."),
    "several calls between": (["Blue.", None, "", None, "Red."], "Blue.\n\nRed."),
    "a call first and last": ([None, "Blue.", None], "Blue."),
    "an empty part between": (["The l", "", "amp"], "The lamp"),
    "an empty part behind a call": (["A.", None, "", "B."], "A.\n\nB."),
    "no text": ([None, "", None], ""),
    "nothing": ([], ""),
}


@pytest.mark.parametrize(("parts", "text"), CASES.values(), ids=CASES)
def test_parts_are_joined(parts: list[str | None], text: str) -> None:
    assert join_parts(parts) == text
    assert len(separate_parts(parts)) == len(parts)


@pytest.mark.parametrize(("parts", "text"), CASES.values(), ids=CASES)
def test_each_part_ends_with_its_text(parts: list[str | None], text: str) -> None:
    for part, separated in zip(parts, separate_parts(parts), strict=True):
        assert separated.strip() == (part or "").strip()
        assert separated in text
