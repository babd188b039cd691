"""The one way in which a message fails to be understood."""


class UnreadableAnswer(Exception):
    """A message that holds no answer groundwatch could read without guessing.

    Its text is one sentence for a person; it names members and types, never the answer's words.
    """
