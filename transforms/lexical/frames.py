"""Remove the clause in which a speaker or a source says what follows: "I can confirm that".

It has only words of framing, one of which reports, and ends with "that" or a mark.
"""

from groundwatch.transforms.lexical import phrases

_FIRST = phrases.words_of("frame_first")
_SAYS = phrases.words_of("frame_says")
_THAT = phrases.words_of("that")
_BEFORE_STATEMENT = _THAT | phrases.words_of("joining")
_WORDS = _FIRST | _SAYS | _THAT | phrases.words_of("frame_words")
_MARKS, _DASHES = ",:;", frozenset({"", "-", "\u2013", "\u2014"})
_AROUND = "*_\"'(["
_MAX_WORDS = 16
_YEAR_DIGITS = 4


def without_frame(text: str) -> str:
    """Return a sentence without the clause in front that only says who says it."""
    begun = text.lstrip(_AROUND)
    if _spelled(begun.partition(" ")[0]).rstrip(_MARKS) not in _FIRST:
        return text
    behind, reports = 0, False
    for piece in begun.split(" ", _MAX_WORDS)[:-1]:
        spelled = _spelled(piece)
        word = spelled.rstrip(_MARKS)
        if reports and spelled.startswith("qu'"):
            return begun[behind + len("qu'") :]
        behind += len(piece) + 1
        if word not in _WORDS and word not in _DASHES and not _is_number(word):
            return text
        reports = reports or word in _SAYS
        if _is_number(word) and begun[behind : behind + 1].isdigit():
            continue  # One of several: "passages 1, 2".
        if reports and (word != spelled or word in _DASHES or word in _THAT):
            first, _, rest = begun[behind:].partition(" ")
            return rest if first.lower() in _BEFORE_STATEMENT else begun[behind:]
    return text


def _is_number(word: str) -> bool:
    """Return whether a word is the number of a source or a section, and no year."""
    return word.replace(".", "").isdigit() and len(word) < _YEAR_DIGITS


def _spelled(word: str) -> str:
    lower = word.lower()
    return lower if lower.isascii() else lower.replace("\u2019", "'")
