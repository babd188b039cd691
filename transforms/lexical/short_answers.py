"""Read a short answer, such as "Yes, it does.", as a statement: with the question it answers."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.transforms.lexical import phrases
from groundwatch.transforms.lexical.clauses import QUESTION_MARKS, VERBS
from groundwatch.transforms.lexical.fact_sentences import stem_of
from groundwatch.transforms.lexical.negations import QUALIFIERS, may_negate
from groundwatch.transforms.lexical.questions import Question
from groundwatch.transforms.lexical.same_text import in_one_spelling
from groundwatch.transforms.lexical.sentences import COLONS
from groundwatch.transforms.lexical.values import read_values
from groundwatch.transforms.lexical.words import Token, form_of, read_tokens

_AFFIRMING = frozenset(map(form_of, phrases.words_of("affirming")))
_DENYING = frozenset(map(form_of, phrases.words_of("denying")))
_ECHOES = frozenset(
    map(stem_of, [*map(form_of, phrases.words_of("echoes")), *_AFFIRMING, *_DENYING])
)
_PLAIN = frozenset(
    {"yes", "yeah", "yep", "no", "nope", "ja", "nein", "oui", "non", "si", "sim", "nao"}
)
_OF_CHATBOT = frozenset({"i", "ich", "je", "yo", "io", "eu"})
"""Beside one of these an answer is about what the chatbot can do: "I can't."."""
_COURTESY = frozenset(map(stem_of, map(form_of, phrases.COURTESY)))
_CHANGING = QUALIFIERS - {"all", "alle", "se", "todos", "tous", "tutti"}
"""Words with which an answer says more than yes or no. "Not at all", "yes, all" and the Spanish
"se" say no more.
"""

MAX_SHORT_CHARS = 100
_MAX_TOKENS = 12
_MAX_FRAGMENT = _MAX_BARE = _VERB_CHARS = 4


class ShortAnswer(NamedTuple):
    """What a short answer states.

    Attributes:
      is_fragment: it has words that the question does not have: "Two years.".
      is_restated: a fragment has words of the question, too: "The warranty lasts two years.".
      is_denied: whether it says no; None for neither yes nor no.
    """

    statement: str
    is_fragment: bool
    is_denied: bool | None
    is_restated: bool = False


def read_short_answer(answer: str, question: Question) -> ShortAnswer | None:
    """Read a sentence as the answer to a question; None if it is not a short one.

    A short answer is yes or no, in whatever words, with no content that the question does not
    have; or a fragment: a few words without a verb: "Two years.", "Only on Mondays.".
    """
    text = in_one_spelling(answer).strip()
    tokens = read_tokens(text)
    if len(tokens) > _MAX_TOKENS or text.endswith((*QUESTION_MARKS, *COLONS)):
        return None
    if phrases.refuses(text) or any(token.lower in _OF_CHATBOT for token in tokens):
        return None
    content = {stem_of(token.form) for token in tokens if token.kind and token.form not in VERBS}
    if question.is_polar and all(_repeats(each, question) for each in content):
        return _yes_or_no(question, tokens, is_bare=not content and len(tokens) <= _MAX_BARE)
    return _fragment(question, text, tokens, content)


def _yes_or_no(question: Question, tokens: Sequence[Token], *, is_bare: bool) -> ShortAnswer | None:
    """Read yes or no; a bare answer needs neither word: "It does."."""
    if not (question.is_marked or any(token.form in _PLAIN for token in tokens)):
        return None
    if any(token.lower in _CHANGING for token in tokens):
        return None
    is_denied = _says(tokens)
    if is_denied is None and is_bare and _has_verb(tokens):
        is_denied = False
    if is_denied is None:
        return None
    statement = f"not {question.statement}" if is_denied else question.statement
    return ShortAnswer(statement, is_fragment=False, is_denied=is_denied)


def _fragment(
    question: Question, text: str, tokens: Sequence[Token], content: AbstractSet[str]
) -> ShortAnswer | None:
    is_restated = not content.isdisjoint(question.stems)
    if (is_restated or content <= _COURTESY) and not read_values(text):
        return None
    if len(content) > _MAX_FRAGMENT or _has_verb(tokens):
        return None
    if phrases.addresses_reader(text):
        return None
    statement = f"{question.statement} {phrases.without_leads(text)}"
    is_denied = _says(tokens[:1]) if question.is_polar else None
    return ShortAnswer(statement, True, is_denied, is_restated)


def _says(tokens: Sequence[Token]) -> bool | None:
    """Return whether words say no, or yes; None for neither."""
    if any(token.form in _DENYING or may_negate(token.lower) for token in tokens):
        return True
    return False if any(token.form in _AFFIRMING for token in tokens) else None


def _repeats(stem: str, question: Question) -> bool:
    """Return whether a stem says no more than the question; its verb may be inflected."""
    if stem in _ECHOES or stem in question.stems:
        return True
    begin = stem[:_VERB_CHARS]
    return len(begin) == _VERB_CHARS and any(each.startswith(begin) for each in question.stems)


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.form in VERBS for token in tokens)
