"""Why a message cannot be read as an answer."""


class UnreadableAnswer(Exception):
    """A message that cannot be read as an answer without guessing.

    Its text is one sentence for a person; it names fields and types, never the answer's text.
    """


class UnmappedFields(UnreadableAnswer):
    """A message without text or facts, with unknown fields that could hold them."""
