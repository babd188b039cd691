"""Input formats: detect the format of a message and read it as answers.

`parser` parses a message's JSON (`json_input`), splits it into its answers, detects the format of
each (`format_table`), reads it, and makes its record id. A new format is a `Format` in a file here
and an entry in `format_table.FORMATS`.
"""

from transforms.formats.parser import ParseFailure, parse_answers

__all__ = ["ParseFailure", "parse_answers"]
