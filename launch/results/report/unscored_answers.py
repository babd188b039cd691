"""Say what many answers lack: their text, their facts or their time."""

from groundwatch.launch.cli.archive_messages import first_messages
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats.parser import describe_texts
from groundwatch.transforms.rules.routing import NO_FACTS, NO_TEXT
from groundwatch.transforms.rules.spans import without_controls
from groundwatch.transforms.step_order import route_answers
from .counts.tally import Tally

_LACKING = {NO_TEXT: "answer", NO_FACTS: "facts"}  # what a map would find


def describe_unscored(tally: Tally) -> str:
    """Count the answers without text or facts, "" unless they are most of them."""
    found = {reason: tally.reasons[reason] for reason in _LACKING if tally.reasons[reason]}
    if 2 * sum(found.values()) <= tally.answers:
        return ""
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in found.items())
    answers = counted(tally.answers, "answer")
    return f"{sum(found.values()):,} of {answers} could not be scored: {reasons}."


def describe_bad_times(tally: Tally) -> str:
    """Count the answers with a time that could not be read, "" without any."""
    if not (bad := tally.tags[Tag.BAD_TIMESTAMP]):
        return ""
    return (
        f"The time of {bad:,} of {counted(tally.answers, 'answer')} could not be read, and is left"
        f" out ({Tag.BAD_TIMESTAMP}). Times are RFC 3339 or seconds since 1970."
    )


def describe_example(config: Config, tally: Tally) -> str:
    """Name the fields of a message of the input that could hold what is lacking."""
    reason = max(_LACKING, key=lambda reason: tally.reasons[reason])
    answer = _first_answer(config, reason)
    if answer is None:
        return ""
    place = answer.message.answer_place
    if config.failure_payload:
        described = (
            f"One is {place}. {describe_texts(answer.message, [_LACKING[reason]], config.parsing)}"
        )
    else:
        # Names may be text of people, which the settings keep out.
        described = f"One is {place}: groundwatch inspect shows the fields of its file."
    return without_controls(described.strip())


def _first_answer(config: Config, reason: str) -> Answer | None:
    for message in first_messages(config):
        for routed in route_answers(message, config.parsing):
            if not isinstance(routed, CheckedAnswer):
                continue
            if routed.decision and routed.decision.reason == reason:
                return routed.answer
    return None
