"""Records of two checkers."""

from typing import Any

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Tag, Verdict
from tests.support.builders import a_check, a_screen, an_enriched

SECOND = "https://checker.example.com"


def pair(
    tag: Tag | None,
    *,
    is_low: bool = False,
    is_flagged: bool = False,
    lowest: float = 0.95,
    engine: str | None = "shop",
    **fields: Any,
) -> EnrichedAnswer:
    """A record of two checkers: which the second one checked, and what both found."""
    is_decided = tag in {Tag.ESCALATED, Tag.AUDITED}
    found = Verdict.LOW_GROUNDED if is_low else Verdict.GROUNDED
    flagged = Verdict.LOW_GROUNDED if is_flagged else Verdict.GROUNDED
    screen = {"verdict": flagged, "min_claim_score": lowest, "audit_share": 0.1}
    return an_enriched(
        engine=engine,
        verdict=found if is_decided else flagged,
        tags=(tag,) if tag else (),
        check=a_check(checker=SECOND if is_decided else "local"),
        screen=a_screen(**screen | fields.pop("screen", {})),
        **fields,
    )


FLAGGED = {"is_flagged": True, "lowest": 0.2}
# 4 flagged, 2 of them low; 2 uncertain, 1 of them low; 50 of which 5 are audited, 1 of them low.
POPULATION = (
    *(pair(Tag.ESCALATED, is_low=number < 2, **FLAGGED) for number in range(4)),
    *(pair(Tag.ESCALATED, is_low=not number, lowest=0.65) for number in range(2)),
    *(pair(Tag.AUDITED, is_low=not number) for number in range(5)),
    *(pair(None) for _ in range(45)),
)
