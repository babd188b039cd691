"""Read rows of tables in Markdown."""

from collections.abc import Iterable


def cells_of(row: str) -> list[str]:
    """Return the cells of a row, with or without outer bars."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def name_cells(cells: Iterable[tuple[str, str]]) -> str:
    """Return a row with the name before each cell that is not empty; a name may be empty.

    >>> name_cells([("lamp", "red"), ("price", "3 €")])
    'lamp: red; price: 3 €'
    """
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)
