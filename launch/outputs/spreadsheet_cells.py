"""Keep spreadsheets from computing the texts of a table."""

# A spreadsheet runs a cell that begins so as a formula, also in full width and behind white space.
# Source: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
_BEFORE_FORMULAS = tuple("\t\r\n")

Cell = str | float | None


def guard_formula(cell: Cell) -> Cell:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    if not isinstance(cell, str):
        return cell
    is_formula = cell.startswith(_BEFORE_FORMULAS) or cell.lstrip().startswith(_FORMULA_SIGNS)
    return f"'{cell}" if is_formula else cell
