"""Read a short answer, such as "Yes, it does.", as a statement: with the question it answers."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import is_among, stem_of, stems_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import may_negate
from groundwatch.transforms.lexical.language.sentences import COLONS, QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import ClaimWords, Token, form_of, read_tokens
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from groundwatch.transforms.lexical.values.read_values import read_values
from .clauses import VERBS
from .questions import Question, stems_of_query

_AFFIRMING = frozenset(map(form_of, phrases.words_of("affirming")))
_DENYING = frozenset(map(form_of, phrases.words_of("denying")))
_ECHOES = frozenset(
    map(stem_of, [*map(form_of, phrases.words_of("echoes")), *_AFFIRMING, *_DENYING])
)
_PLAIN = frozenset(map(form_of, phrases.words_of("plain")))
_COURTESY = frozenset(map(stem_of, map(form_of, phrases.COURTESY)))

MAX_SHORT_CHARS, MAX_SHORT_TOKENS = 100, 12
_MAX_FRAGMENT = _MAX_BARE = 4
_MAX_OTHER = 2
"""So many words beside its values has a fragment without words of the question; one with more is a
statement of its own."""


class ShortAnswer(NamedTuple):
    """What a sentence says as the short answer to a question.

    Attributes:
      text: the sentence without what may stand before it.
      statement: what it states, with the words of the question.
      is_fragment: it has words that the question does not have: "Two years.".
      names_question: a fragment also has words of the question: "The warranty lasts two years.".
      is_denied: whether it says no; None for neither yes nor no.
    """

    question: Question
    text: str
    statement: str
    is_fragment: bool
    names_question: bool
    is_denied: bool | None


def may_be_short(claim: ClaimWords, query: str) -> bool:
    """Return whether a claim may be a short answer to what a user wrote, before that is read."""
    if len(claim.forms) > MAX_SHORT_TOKENS:
        return False
    content = {stem_of(form) for form in claim.distinct - VERBS}
    is_fragment = len(content) <= _MAX_FRAGMENT and VERBS.isdisjoint(claim.forms)
    return is_fragment or _has_no_other(content, stems_of_query(query))


def read_short_answer(answer: str, question: Question) -> ShortAnswer | None:
    """Read a sentence as the answer to a question; None if it is not a short one.

    A short answer is yes or no, in whatever words, with no content that the question does not
    have; or a fragment: a few other words without a verb: "Two years.", "Only on Mondays.".
    """
    text = in_one_spelling(answer).strip()
    tokens = read_tokens(text)
    if len(tokens) > MAX_SHORT_TOKENS or text.endswith((*QUESTION_MARKS, *COLONS)):
        return None
    content = {stem_of(token.form) for token in tokens if token.kind and token.form not in VERBS}
    if question.is_polar and _has_no_other(content, question.stems):
        short = _yes_or_no(question, text, tokens, is_bare=not content)
    else:
        short = _fragment(question, text, tokens, content)
    return None if short is None or phrases.states_refusal(text) else short


def _has_no_other(content: AbstractSet[str], stems: AbstractSet[str]) -> bool:
    """Return whether an answer has no content beside yes or no that a question does not have."""
    return all(each in _ECHOES or is_among(each, stems) for each in content)


def _yes_or_no(
    question: Question, text: str, tokens: Sequence[Token], *, is_bare: bool
) -> ShortAnswer | None:
    """Read yes or no; a few bare words need neither: "It does."."""
    if not (question.is_marked or any(token.form in _PLAIN for token in tokens)):
        return None
    is_denied = _says(tokens)
    if is_denied is None and is_bare and len(tokens) <= _MAX_BARE and _has_verb(tokens):
        is_denied = False
    if is_denied is None:
        return None
    return ShortAnswer(
        question=question,
        text=text,
        statement=f"not {question.statement}" if is_denied else question.statement,
        is_fragment=False,
        names_question=False,
        is_denied=is_denied,
    )


def _fragment(
    question: Question, text: str, tokens: Sequence[Token], content: AbstractSet[str]
) -> ShortAnswer | None:
    names_question = not content.isdisjoint(question.stems)
    if (names_question or content <= _COURTESY) and not read_values(text):
        return None
    if len(content) > _MAX_FRAGMENT or _has_verb(tokens) or phrases.addresses_reader(text):
        return None
    values = " ".join([text[each.start : each.end] for each in read_values(text)])
    if not names_question and len(content - stems_of(values)) > _MAX_OTHER:
        return None
    said = phrases.without_leads(text)
    return ShortAnswer(
        question=question,
        text=said,
        statement=f"{question.statement} {said}",
        is_fragment=True,
        names_question=names_question,
        is_denied=_says(tokens[:1]) if question.is_polar else None,
    )


def _says(tokens: Sequence[Token]) -> bool | None:
    """Return whether words say no, or yes; None for neither."""
    if any(token.form in _DENYING or may_negate(token.lower) for token in tokens):
        return True
    return False if any(token.form in _AFFIRMING for token in tokens) else None


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.form in VERBS for token in tokens)
