"""Cut the untrusted names of engines, documents and titles to what a table can show."""

from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.transforms.rules.redaction import is_hashed

_MAX_CHARACTERS = 300

Combination = tuple[str, str, tuple[str, ...]]  # engine, verdict and tags of an answer


def combination_of(answer: AnswerRow) -> Combination:
    """Return what an answer can be filtered by."""
    tags = dict.fromkeys(filter(None, map(cut_name, answer.tags)))
    return cut_name(answer.engine) or "unknown", cut_name(answer.verdict) or "", tuple(tags)


def sources_of(answer: AnswerRow) -> dict[str, str | None]:
    """Map the documents of the facts, by resource name, URI or kept title, to their titles."""
    sources: dict[str, str | None] = {}
    for fact in answer.facts:
        key = cut_name(fact.document or fact.uri) or kept_title(fact.title)
        if key:
            sources.setdefault(key, fact.title)
    return sources


def kept_title(title: str | None) -> str | None:
    """Return a title cut to the length of a table cell; None if only its hash was kept."""
    return None if not title or is_hashed(title) else cut_name(title)


def cut_name(name: str | None, max_characters: int = _MAX_CHARACTERS) -> str | None:
    """Cut an untrusted name to a length that a table can show."""
    return name and name[:max_characters]
