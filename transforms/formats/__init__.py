"""Input formats: read a message as answers. A new format is one file here.

It is listed in `recognition.FORMATS`.
"""

from transforms.formats.parsing import ParseFailure, parse_answers

__all__ = ["ParseFailure", "parse_answers"]
