"""Input formats: detect the format of a message and read it as answers.

`parser` reads a message in these steps: parse its JSON (`json_input`), split it into its answers
(`carriers`), detect the format of each (`format_table`), read it, and make its record id. A new
format is a `Format` in a file here and an entry in `format_table.FORMATS`.
"""

from transforms.formats.parser import ParseFailure, parse_answers

__all__ = ["ParseFailure", "parse_answers"]
