"""Take out of an answer what a check has found, for a person who is to judge without it."""

from groundwatch.schemas.checked_answer import Claim
from groundwatch.schemas.enriched_answer import AnswerRow


def blind_answer(row: AnswerRow) -> AnswerRow:
    """Return an answer with its claims and facts, and nothing that follows from the verdict.

    The fields are those that are kept: a field that a later schema adds is left out.
    """
    claims = (Claim(text=each.text, start=each.start, end=each.end) for each in row.claims)
    return AnswerRow(
        record_id=row.record_id,
        answer_name=row.answer_name,
        engine=row.engine,
        session=row.session,
        event_time=row.event_time,
        query=row.query,
        answer_text=row.answer_text,
        verdict="",
        verdict_reason="",
        claims=tuple(claims),
        facts=row.facts,
        trace_id=row.trace_id,
        span_id=row.span_id,
        response_id=row.response_id,
    )
