"""Read the sentences of an answer as claims, each in the forms in which it may be compared."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.facts.fact_text import describe_facts
from groundwatch.transforms.lexical.language.sentences import COLONS, QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import ClaimWords, TokenKind
from groundwatch.transforms.lexical.reading.answer_sentences import Role, Sentence, split_sentences
from groundwatch.transforms.lexical.reading.citation_marks import Sources
from .questions import read_question
from .read_claim import read_claim, refuses
from .short_answers import MAX_SHORT_CHARS, ShortAnswer, may_be_short, read_short_answer
from .user_statements import repeats_user

_MAX_SIGNATURE, _MAX_SIGNATURE_WORDS, _MAX_CLOSING_WORDS = 3, 4, 5
"""The lines of a signature, the words of each, and the words of the courtesy before it."""

_MARKS = (".", "!", *COLONS, *QUESTION_MARKS)


class ClaimForms(NamedTuple):
    """A sentence, and its words in each form that is compared; without any, it is no claim.

    Attributes:
      is_row: the last form is the row of a table with its headings.
      answer: the last form is what the sentence states as this short answer.
    """

    text: str
    forms: Sequence[ClaimWords] = ()
    is_row: bool = False
    answer: ShortAnswer | None = None


def read_claims(sentences: Iterable[Sentence], query: str | None) -> list[ClaimForms]:
    """Read sentences as claims with what the user asked.

    What only repeats the user does not count as a claim, nor does a signature at the end. The first
    sentence that may be one is also read as a short answer.
    """
    claims: list[ClaimForms] = []
    is_first = True
    for sentence in sentences:
        claim = _read_sentence(sentence)
        if query and sentence.role in (Role.TEXT, Role.HEADING):
            if claim.forms and repeats_user(claim.forms[0], query):
                claim = ClaimForms(claim.text)
            if is_first and _may_be_short(claim, query):
                claim = _as_answer(claim, query) or claim
        is_first = is_first and not claim.forms
        claims.append(claim)
    begin = _signature_of(claims)
    return claims[:begin] + [ClaimForms(claim.text) for claim in claims[begin:]]


def has_hard_claim(answer: str, facts: Sequence[Fact], query: str | None) -> bool:
    """Return whether an answer has a claim of a kind that words judge badly.

    That is a short answer to what was asked, "Yes, it does.", or a statement beside a refusal, in
    the same sentence or in another: "The documents do not mention X. You can return it."
    """
    sentences = split_sentences(answer, Sources.of(describe_facts(facts)))
    first = next((claim for claim in read_claims(sentences, query) if claim.forms), None)
    if first is None:
        return False
    # No later one is read as a short answer.
    return first.answer is not None or any(refuses(each.text) for each in sentences)


def _signature_of(claims: Sequence[ClaimForms]) -> int:
    """Return where a signature begins: a name behind a short courtesy, and up to two lines more."""
    for number in range(len(claims) - 1, max(len(claims) - 1 - _MAX_SIGNATURE, 1), -1):
        *_, before, line = claims[: number + 1]
        if len(line.text.split()) > _MAX_SIGNATURE_WORDS or line.text.endswith(_MARKS):
            break
        is_name = line.forms and not {TokenKind.WORD, TokenKind.NUMBER} & {*line.forms[0].kinds}
        is_closing = not before.forms and not before.text.endswith((*COLONS, *QUESTION_MARKS))
        if is_name and is_closing and len(before.text.split()) <= _MAX_CLOSING_WORDS:
            return number
    return len(claims)


def _read_sentence(sentence: Sentence) -> ClaimForms:
    own = read_claim(sentence.text, sentence.role)
    named = own and sentence.named and read_claim(sentence.named)
    forms = [form for form in (own, named) if form]
    return ClaimForms(sentence.text, forms, is_row=bool(named))


def _may_be_short(claim: ClaimForms, query: str) -> bool:
    if len(claim.text) > MAX_SHORT_CHARS:
        return False
    return not claim.forms or may_be_short(claim.forms[0], query)


def _as_answer(claim: ClaimForms, query: str) -> ClaimForms | None:
    """Read a short answer with what the user asked; None if it is not one.

    Yes and no have no words of their own.
    """
    question = read_question(query)
    short = read_short_answer(claim.text, question) if question else None
    if not short:
        return None
    own = claim.forms if short.is_fragment else ()
    stated = ClaimWords.of(short.statement)
    if not stated.content:
        return None
    return claim._replace(forms=[*own, stated], answer=short)
