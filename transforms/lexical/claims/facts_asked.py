"""Find what the facts say about the question that a short answer answers."""

from collections.abc import Sequence

from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.words import read_tokens
from groundwatch.transforms.lexical.values.read_values import read_values
from .questions import Question

_EXCLUSIVE = phrases.words_of("exclusive") | phrases.words_of("reserved")
_ABOUT_A_PART, _ABOUT, _HALF = 0.25, 0.3, 0.5
"""The shares of a question's words from which a sentence may be an exception, may speak against
yes or no, and may speak for it."""

_ANY = 0.01
"""The least share, of any number of words."""

_LESS = 0.2
"""A sentence with so much less of a question's words is about something else."""


def agree(question: Question, facts: Sequence[str], *, is_denied: bool) -> bool | None:
    """Return whether the sentences about what was asked deny it, or do not, as an answer does.

    None if no sentence is about it. A sentence does not count beside one that has all its words
    of the question, and more. Of those that are left, one that denies something counts: it is the
    exception to the others.
    """
    stems = question.stems
    found = [
        (stems & sentences_of(fact).contents[place], sentences_of(fact).texts[place])
        for fact in facts
        for _, place in sentences_of(fact).near(stems, _ABOUT_A_PART)
    ]
    most = max([len(shared) for shared, _ in found], default=0) / len(stems)
    if most < _ABOUT:
        return None
    best = [
        (shared, text) for shared, text in found if not any(shared < other for other, _ in found)
    ]
    if any(len(negations_in(text, read_tokens(text))) % 2 for _, text in best) == is_denied:
        return True if most > _HALF else None
    # "Only at the counter" may deny what the question asks beside the words they share.
    may_exclude = is_denied and any(shared != stems and _excludes(text) for shared, text in best)
    return None if may_exclude else False


def _excludes(text: str) -> bool:
    return any(token.lower in _EXCLUSIVE for token in read_tokens(text))


def has_value(fragment: str, question: Question, facts: Sequence[str]) -> bool | None:
    """Return whether the sentences about a question have the value that is a fragment.

    None if they have none of its kind, or a sentence that is hardly less about it has this one.
    """
    values = read_values(fragment)
    if len(values) != 1:
        return None
    [value] = values
    stems = question.stems
    has_it = has_other = 0.0
    for fact in facts:
        sentences = sentences_of(fact)
        for (share, *_), place in sentences.near(stems, _ANY):
            found = [each for each in sentences.read(place).values if not each.is_implied]
            if any(map(value.equals, found)):
                has_it = max(has_it, share)
            elif any(map(value.measures_like, found)):
                has_other = max(has_other, share)
    if has_it >= max(_ABOUT, has_other):
        return True
    return False if has_other >= _ABOUT and has_other - has_it >= _LESS else None
