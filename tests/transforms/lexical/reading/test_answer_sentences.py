"""Lines of an answer read as what they are: headings, tables, lists of sources, code."""

import pytest

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.claims.read_claim import read_claim
from groundwatch.transforms.lexical.reading.answer_sentences import Role, split_sentences
from tests.support.checks import check_request


def roles(text: str) -> list[tuple[str, Role]]:
    return [(each.text, each.role) for each in split_sentences(text)]


def claims(text: str) -> list[str]:
    return [each.text for each in split_sentences(text) if read_claim(each.text, each.role)]


def test_headings_are_marked() -> None:
    text = "## Refunds\n**Terms**\n<b>Costs</b>\nRefunds take **5 days**.\n- item"
    assert roles(text) == [
        ("Refunds", Role.HEADING),
        ("Terms", Role.HEADING),
        ("Costs", Role.HEADING),
        ("Refunds take 5 days.", Role.TEXT),
        ("item", Role.TEXT),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "| Item | Price |\n|---|:--:|\n| Lamp | 12 euros |\n| Chair | ✅ |\nText.",
        "Item | Price\n--- | ---\nLamp | 12 euros\nChair | ✔\nText.",
        """<table><tr><th>Item</th><th>Price</th></tr>
        <tr><td>Lamp</td><td>12 euros</td></tr><tr><td>Chair</td><td>Yes</td></tr></table>Text.""",
    ],
)
def test_rows_of_a_table_are_named_by_its_heading_row(table: str) -> None:
    heading, lamp, chair, text = split_sentences(table)
    assert (heading.text, heading.role) == ("Item | Price", Role.TABLE_HEADING)
    assert (lamp.text, lamp.named) == ("Lamp | 12 euros", "Item: Lamp; Price: 12 euros")
    assert chair.named == "Item: Chair; Price"
    assert (text.text, text.named) == ("Text.", None)


@pytest.mark.parametrize(
    ("table", "row", "named"),
    [
        (
            "| # | Item | Price |\n|---|---|---|\n| 1 | Lamp | 9 € |",
            "Lamp | 9 €",
            "Item: Lamp; Price: 9 €",
        ),
        ("No. | Item\n---|---\n2. | Lamp", "Lamp", None),
        ("| Step | Do |\n|---|---|\n| 1 | Press it. |", "Press it.", None),
        ("| Guests | Price |\n|---|---|\n| 2 | 9 € |", "2 | 9 €", "Guests: 2; Price: 9 €"),
        (
            "| kg | Price |\n|---|---|\n| 5 | 9 € a day |",
            "5 | 9 € a day",
            "kg: 5; Price: 9 € a day",
        ),
        ("| # |\n|---|\n| 1 |", "1", None),
    ],
)
def test_a_cell_that_only_numbers_its_row_is_left_out(
    table: str, row: str, named: str | None
) -> None:
    last = split_sentences(table)[-1]
    assert (last.text, last.named) == (row, named)


@pytest.mark.parametrize(
    ("cell", "is_wrong"), [("No", False), ("❌", False), ("Yes", True), ("✓", True)]
)
def test_a_cell_may_deny_its_heading(cell: str, *, is_wrong: bool) -> None:
    answer = f"| Items | Returnable |\n|---|---|\n| Opened items | {cell} |"
    _, row = check_grounding(check_request(answer, "Opened items cannot be returned.")).claims
    assert [each.kind for each in row.mismatches or ()] == ["NEGATION"] * is_wrong
    assert ((row.score or 0) < 0.4) == is_wrong


@pytest.mark.parametrize(
    "sources",
    [
        "Sources:\n1. refunds_policy_v3.2.pdf (page 7)\n2. faq-2023.html",
        "**Sources**\n- Refund policy\n- Terms of May 2023, section 4.2",
        "## References\n[1] Refund policy of the shop, updated 3 May 2023",
        "Quellen: faq.pdf, agb.pdf",
        "Sources used: Refund policy, Terms",
        "[^1]: Refund policy, section 2",
        "[1] Refund policy\n[2] Terms",
        "[1]: https://shop.example/refunds-2024",
        "参考資料：返金ポリシー",  # noqa: RUF001 - the colon of East Asia
    ],
)
def test_a_list_of_sources_is_no_claim(sources: str) -> None:
    assert claims(f"Lamps cost 12 euros.\n\n{sources}") == ["Lamps cost 12 euros."]


def test_a_statement_in_a_list_of_sources_is_a_claim() -> None:
    text = "Sources:\n- faq.pdf\n- Refunds take 99 days with this card.\n- The shop is closed."
    assert claims(text) == ["Refunds take 99 days with this card.", "The shop is closed."]
    assert claims("Sources of income are taxed at 20 percent.")


def test_code_is_no_claim_and_a_sentence_in_it_is_one() -> None:
    text = "Use it so:\n```python\nset_limit(99)\n# The limit is 99 euros.\n```\nIt is fast."
    assert claims(text) == ["The limit is 99 euros.", "It is fast."]
