"""Input formats: detect the format of a message and read it as answers."""

from transforms.formats.parser import ParseFailure, parse_answers

__all__ = ["ParseFailure", "parse_answers"]
