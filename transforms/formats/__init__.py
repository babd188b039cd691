"""The input formats: reading a message as an answer. A new one is one file here.

Its line belongs in `recognition.FORMATS`.
"""

from schemas.unreadable import UnreadableAnswer
from transforms.formats.parsing import parse_answer

__all__ = ["UnreadableAnswer", "parse_answer"]
