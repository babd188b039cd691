"""The options of a run, one entry each; those of the check stand in `check_options.py`."""

import re

from pipeline.config import SEGMENT_MESSAGES
from pipeline.option import (
    Option,
    fraction,
    location,
    one_of,
    pair,
    positive,
    share,
    whole,
)
from pipeline.sinks.destination import FILE_BYTES
from schemas.quantities import MEGABYTE
from schemas.verdict import Tag, Verdict
from transforms.formats.format_table import format_names
from transforms.rules.alerting import AlertRule
from transforms.rules.burn_rate import RateRule
from transforms.rules.redaction import TextMode
from transforms.rules.tagging import Thresholds
from transforms.rules.verdicts import FINDINGS, PRECEDENCE

_THRESHOLDS = Thresholds()
_RATES = RateRule()
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def _run_id(text: str) -> str:
    if not _RUN_ID.fullmatch(text):
        raise ValueError("must be letters, digits, - and _, at most 64")
    return text


def _local_folder(text: str) -> str:
    if "://" in location(text):
        raise ValueError("must be a folder of this machine")
    return text


def _moved_reason(text: str) -> tuple[str, Verdict]:
    reason, verdict = pair(text)
    if reason in FINDINGS:
        raise ValueError(f"{reason} is what groundwatch finds, no reason a generator gives")
    return reason, Verdict(one_of(PRECEDENCE)(verdict))


def _sample_share(text: str) -> tuple[str | None, float]:
    engine, equals, engine_share = text.rpartition("=")
    if equals and not engine:
        raise ValueError("must have the form SHARE or ENGINE=SHARE")
    return engine or None, fraction(engine_share)


INPUT = Option(
    name="input",
    meaning="archives: paths or globs, local or gs://; JSON lines (plain, .gz, .zst) or Avro",
    read=location,
    takes_many=True,
    is_required=True,
)

FAILURES = Option(
    name="failures",
    meaning="failures of an earlier run: paths or globs, local or gs://",
    read=location,
    takes_many=True,
    is_required=True,
)

SALVAGE = Option(
    name="salvage",
    meaning="of a damaged archive, read the records before the damage that no checksum confirms,"
    " too, and tag them SALVAGED; such an archive still is a failure",
    is_switch=True,
    default=False,
)

FORMAT = (
    Option(
        name="input_format",
        meaning="the format of every message; by default each is recognised by its members",
        read=one_of(format_names()),
    ),
    Option(
        name="facts_from_steps",
        meaning="count what the generator found on its way among the facts",
        is_switch=True,
        default=False,
    ),
)

SAMPLE = Option(
    name="sample",
    meaning="SHARE or ENGINE=SHARE, 0..1: look at a share of the answers, of all engines or of one;"
    " the same answers every time",
    read=_sample_share,
    takes_many=True,
)

OUTPUT = (
    Option(
        name="output",
        meaning="output folder, local or gs://",
        read=location,
        is_required=True,
    ),
    Option(
        name="run_id",
        meaning="part of every output file's name; the same id replaces an earlier run's files;"
        " by default it follows from --input",
        read=_run_id,
    ),
    Option(
        name="target_file_mb",
        meaning="megabytes after which a file is followed by another",
        read=whole,
        default=FILE_BYTES // MEGABYTE,
    ),
    Option(
        name="text",
        meaning="what all files keep of answer, query and facts: none, hash or full; the messages"
        " of failures follow --failure_payload",
        read=one_of(TextMode),
        default=TextMode.FULL,
    ),
    Option(
        name="failure_payload",
        meaning="whether failures keep the original message, its attributes included, without"
        " which nothing can be replayed: none or full",
        read=one_of(("none", "full")),
        default="full",
    ),
)

LOCAL = (
    Option(
        name="workers",
        meaning="processes that share the work on this machine (default: 1); elsewhere those"
        " among which a quota is divided, by default as many as the runner may start",
        read=whole,
    ),
    Option(
        name="work_folder",
        meaning="local folder for what an unfinished run keeps; by default inside a local --output,"
        " else in ~/.cache/groundwatch",
        read=_local_folder,
    ),
    Option(
        name="segment_messages",
        meaning="messages after which what a run on this machine has done is done for good",
        read=whole,
        default=SEGMENT_MESSAGES,
    ),
    Option(
        name="resume",
        meaning="resume an interrupted run, or fail if there is none; without it the same command"
        " resumes it, too, or begins a new one",
        is_switch=True,
        default=False,
    ),
    Option(
        name="forget_replies",
        meaning="begin anew, and pay again for the checks of an interrupted run, whose replies are"
        " otherwise kept though flags or input change; what it has sent counts against"
        " --max_calls and --max_cost all the same",
        is_switch=True,
        default=False,
    ),
)

VERDICTS = (
    Option(
        name="low_grounded_threshold",
        meaning="0..1; an answer with a lower support score is LOW_GROUNDED",
        read=fraction,
        default=_THRESHOLDS.low_grounded,
    ),
    Option(
        name="claim_threshold",
        meaning="0..1; an answer with a claim that scores lower is LOW_GROUNDED",
        read=fraction,
        default=_THRESHOLDS.claim,
    ),
    Option(
        name="drift_threshold",
        meaning="0..1; how far the generator's own score may be off before SCORE_DRIFT",
        read=fraction,
        default=_THRESHOLDS.drift,
    ),
    Option(
        name="move_reason",
        meaning="REASON=VERDICT: let a skip, finish or block reason lead to another verdict",
        read=_moved_reason,
        takes_many=True,
    ),
)

ALERTS = (
    Option(
        name="alert_verdicts",
        meaning="verdicts that alert",
        read=one_of(Verdict),
        default=tuple(sorted(AlertRule().verdicts)),
        takes_many=True,
    ),
    Option(
        name="alert_tags",
        meaning="tags that alert, whatever the verdict",
        read=one_of(Tag),
        takes_many=True,
    ),
    Option(
        name="alert_text",
        meaning="put the answer and its worst claim into the alert",
        is_switch=True,
        default=False,
    ),
    Option(
        name="rate_budget",
        meaning="0..1, the share of bad answers that is tolerable for ever",
        read=share,
        default=_RATES.budget,
    ),
    Option(
        name="rate_burn",
        meaning="how many times the budget opens an episode, over one hour and over six",
        read=positive,
        default=_RATES.burn_rate,
    ),
    Option(
        name="rate_min_answers",
        meaning="fewer answers in an hour tell nothing of a rate",
        read=whole,
        default=_RATES.min_answers,
    ),
    Option(
        name="reason_rise",
        meaning="how many times its share in the five hours before opens an episode of a skip"
        " reason, over one hour",
        read=positive,
        default=_RATES.reason_rise,
    ),
    Option(
        name="reason_min_answers",
        meaning="fewer answers with a skip reason in an hour are no rise",
        read=whole,
        default=_RATES.min_reason_answers,
    ),
)
