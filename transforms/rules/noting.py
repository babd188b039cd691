"""Write what a model has to know to correct its answer."""

from collections.abc import Iterator
from math import inf

from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from .quoting import cut_sentence, nearest_quote, quote_facts
from .spans import without_controls
from .thresholds import Thresholds

_INSTRUCTION = (
    "Write the answer again: correct these statements by the sources or leave them out, and add"
    " nothing that the sources do not say."
)


def write_note(record: EnrichedAnswer) -> str:
    """Write the flagged statements of an answer, each on a line with what the sources say instead.

    The last line asks to correct them. The text is for the next prompt of the model that wrote the
    answer, and is empty if nothing is flagged.

    >>> from groundwatch import check
    >>> record = check("It takes 3 days.", ["It takes 2 days."])
    >>> print(write_note(record).splitlines()[0])
    - "It takes 3 days." says "3 days", but the source says "2 days": "It takes 2 days."
    """
    claims = record.claims
    lines = [f"- {_quoted(claims[n].text)} {_finding(record, n)}" for n in _low_claims(record)]
    return "\n".join([*lines, _INSTRUCTION]) if lines else ""


def _low_claims(record: EnrichedAnswer) -> list[int]:
    """Return the numbers of the claims for which an answer is low-grounded."""
    if record.verdict is not Verdict.LOW_GROUNDED:
        return []
    limits = (record.check and record.check.thresholds) or Thresholds()
    # A value that no fact has contradicts none.
    contradicting = {each.claim for each in record.mismatches if each.fact is not None}
    scores = [claim.required_score for claim in record.claims]

    def below(limit: float) -> list[int]:
        return [n for n, score in enumerate(scores) if score is not None and score < limit]

    flagged = sorted({*contradicting, *below(limits.claim)})
    # Else the answer is low-grounded by its support score, which no claim has to share.
    return flagged or below(limits.low_grounded) or below(inf)


def _finding(record: EnrichedAnswer, number: int) -> str:
    """Say what the sources say instead of a claim, or which sentence is nearest to it."""
    of_claim = [each for each in record.mismatches if each.claim == number]
    changed = [each for each in of_claim if each.fact is not None]
    quotes = quote_facts(number, record.claims, record.mismatches, record.facts)
    if not quotes and not changed:
        quotes = tuple(filter(None, [nearest_quote(record.claims[number], record.facts)]))
    sentences = " ".join(_quoted(each.text) for each in quotes)
    if changed:
        said = f": {sentences}" if sentences else "."
        return f"says {'; and '.join(_differences(changed))}{said}"
    unseen = ", ".join(_quoted(each.claim_value) for each in of_claim)
    nor = f", nor was {unseen}" if unseen else ""
    return f"was not found in the sources{nor}{f'; nearest: {sentences}' if sentences else '.'}"


def _differences(changed: list[Contradiction]) -> Iterator[str]:
    for each in dict.fromkeys(changed):
        instead = _quoted(each.fact_value) if each.fact_value else "otherwise"
        yield f"{_quoted(each.claim_value)}, but the source says {instead}"


def _quoted(text: str) -> str:
    return f'"{without_controls(cut_sentence(text))}"'
