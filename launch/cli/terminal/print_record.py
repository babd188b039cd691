"""Print one record on a terminal."""

from collections.abc import Iterable, Iterator

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import Claim, Contradiction, Screen
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.quoting import nearest_quote, quote_facts
from groundwatch.transforms.rules.spans import without_controls
from groundwatch.transforms.rules.thresholds import Thresholds
from .figures import ACCURACY, NOTHING, moment, score

_WIDTH = 100
_STYLES = {Verdict.GROUNDED: "bold green", Verdict.LOW_GROUNDED: "bold red"}


def print_record(enriched: EnrichedAnswer | AnswerRow, thresholds: Thresholds) -> None:
    """Print the verdict of a record, its claims with their scores, and its facts."""
    record = msgspec.convert(enriched, AnswerRow, from_attributes=True)
    thresholds = thresholds.of_engine(record.engine)
    console = Console(highlight=False, markup=False)
    console.width = min(console.width, _WIDTH)
    console.print(_headline(record))
    console.print(_table(_properties(record)))
    if record.claims:
        console.print(Text("\nClaims, each with its score and the facts that support it\n"))
        claims = enumerate(record.claims)
        console.print(Padding(_table(_claim(*each, record, thresholds) for each in claims), (0, 2)))
    elif record.answer_text:
        console.print(Padding(Text(_safe(record.answer_text)), (1, 2)))
    if record.facts:
        console.print(Text("\nFacts\n"))
        rows = ((Text(f"[{number}]"), _fact(each)) for number, each in enumerate(record.facts, 1))
        console.print(Padding(_table(rows), (0, 2)))
    accuracy = record.check and ACCURACY.get(record.check.checker or "")
    if record.verdict == Verdict.LOW_GROUNDED and accuracy:
        console.print(Text(f"\nFlagged by the embedded checker. {accuracy}", style="dim"))


def _headline(record: AnswerRow) -> Text:
    style = _STYLES.get(Verdict(record.verdict), "bold yellow")
    return Text.assemble((record.verdict, style), f"  {record.verdict_reason}  {_scores(record)}\n")


def _properties(record: AnswerRow) -> Iterator[tuple[Text, Text]]:
    check, screen = record.check, record.screen
    checker = check and check.checker and _named(check.checker, check.revision)
    time = None if record.event_time_us is None else f"{moment(record.event_time_us)} UTC"
    for name, value in (
        ("id", record.record_id),
        ("name", record.answer_name),
        ("engine", record.engine),
        ("session", record.session),
        ("time", time),
        ("checker", checker),
        ("screen", screen and _screen(screen)),
        ("tags", ", ".join(record.tags)),
        ("reasons", ", ".join(record.skip_reasons)),
        ("query", record.query),
    ):
        if value:
            yield Text(name, style="dim"), Text(_safe(value))


def _named(checker: str, revision: str | None) -> str:
    return f"{checker} ({revision})" if revision else checker


def _screen(screen: Screen) -> str:
    by = _named(screen.checker, screen.revision)
    return f"{screen.verdict} by {by}: {screen.verdict_reason}, {_scores(screen)}"


def _scores(found: AnswerRow | Screen) -> str:
    return f"support {score(found.support_score)}, lowest claim {score(found.min_claim_score)}"


def _claim(
    number: int, claim: Claim, record: AnswerRow, thresholds: Thresholds
) -> tuple[Text, Text]:
    required = claim.required_score
    text = Text(_safe(claim.text))
    if required is None:
        text.stylize("dim")
        text.append("  no check needed", style="dim")
    else:
        text.stylize("red" if required < thresholds.claim else "green")
    if claim.citations:
        cited = " ".join(f"[{fact + 1}]" for fact in claim.citations)
        text.append(f"  {cited}", style="dim")
    elif required is not None and required >= thresholds.claim:
        text.append("  no fact cited", style="dim")
    for mismatch in record.mismatches:
        if mismatch.claim == number:
            text.append(f"\n{_mismatch(mismatch)}", style="yellow")
    quotes = quote_facts(number, record.claims, record.mismatches, record.facts)
    for quote in quotes:
        text.append(f"\n[{quote.fact + 1}] “{_safe(quote.text)}”", style="dim")
    if not quotes and required is not None and (near := nearest_quote(claim, record.facts)):
        text.append(f"\nnearest: [{near.fact + 1}] “{_safe(near.text)}”", style="dim")
    return Text(NOTHING if required is None else f"{required:.2f}"), text


def _mismatch(mismatch: Contradiction) -> str:
    finding = f"{mismatch.kind}: {_safe(mismatch.claim_value)}"
    if mismatch.fact is None:
        return f"{finding}, which is in no fact"
    return f"{finding}, but fact [{mismatch.fact + 1}]: {_safe(mismatch.fact_value or NOTHING)}"


def _fact(fact: Fact) -> Text:
    source = ", ".join(filter(None, (fact.title, fact.uri or fact.document)))
    return Text.assemble(_safe(fact.text), (f"\n{_safe(source)}" if source else "", "dim"))


def _table(rows: Iterable[tuple[Text, Text]]) -> Table:
    table = Table.grid(Column(), Column(overflow="fold"), padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    return table


def _safe(text: str) -> str:
    """Remove control characters from untrusted text, but keep its lines."""
    return "\n".join(map(without_controls, text.splitlines()))
