"""Read scored answers, or check answers now, and join them with their labels."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import fastavro
import msgspec
from msgspec.structs import asdict

from groundwatch.launch.cli.archive_messages import ArchiveMessages
from groundwatch.launch.cli.commands.evaluate import EvaluateSettings
from groundwatch.launch.cli.terminal.unreadable_input import SHOWN_FAULTS
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import read_answers, until_damage
from groundwatch.schemas import Record
from groundwatch.schemas.answer import Label
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer, is_enriched_schema
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.grounding.errors import is_of_answer
from groundwatch.transforms.rules.tagging import verdict_by
from groundwatch.transforms.rules.thresholds import NO_THRESHOLDS, GivenThresholds, Thresholds
from groundwatch.transforms.step_order import route_answers


class Counts(msgspec.Struct, kw_only=True):
    """Counts of an evaluation's input; unlabelled answers, and those read before, are ignored."""

    read: int = 0
    unreadable: int = 0
    failed: int = 0
    unlabelled: int = 0
    labelled: int = 0
    unscored: int = 0
    labels_unmet: int = 0


class ScoredClaim(NamedTuple):
    """A claim that required a check: UTF-8 byte offsets into the answer, and its score, 0..1."""

    start: int
    end: int
    score: float


class LabelledAnswer(Record, frozen=True, kw_only=True):
    """The scores, 0..1, and the label of an answer; answers from the same facts are a cluster.

    Attributes:
      verdict: of the record, by which a person may have chosen the answer.
      is_flagged: whether it is LOW_GROUNDED, by the thresholds in force or by other ones.
      is_always_flagged: whether it is by all thresholds, since it contradicts a fact.
    """

    verdict: str
    is_flagged: bool
    is_always_flagged: bool
    support_score: float | None
    min_claim_score: float | None
    claims: tuple[ScoredClaim, ...]
    cluster: str
    checker: str | None
    engine: str | None
    label: Label


def label_answer(
    answer: EnrichedAnswer | AnswerRow, label: Label, thresholds: GivenThresholds | None = None
) -> LabelledAnswer:
    """Join the scores of a record with its label; thresholds replace those of its verdict."""
    facts = "\0".join(fact.text for fact in answer.facts)
    digest = sha256(facts.encode(errors="surrogatepass")).hexdigest()
    return LabelledAnswer(
        verdict=answer.verdict,
        is_flagged=_verdict(answer, thresholds) == Verdict.LOW_GROUNDED,
        is_always_flagged=verdict_by(answer, NO_THRESHOLDS) == Verdict.LOW_GROUNDED,
        support_score=answer.support_score,
        min_claim_score=answer.min_claim_score,
        claims=tuple(
            ScoredClaim(claim.start, claim.end, claim.required_score)
            for claim in answer.claims
            if claim.required_score is not None
        ),
        # An answer without known facts is a cluster of its own.
        cluster=digest if facts.strip("\0") else answer.record_id,
        checker=answer.check.checker if answer.check else None,
        engine=answer.engine,
        label=label,
    )


def _verdict(answer: EnrichedAnswer | AnswerRow, given: GivenThresholds | None) -> str:
    if not given:
        return answer.verdict
    # Records of 2.0.0 do not have the thresholds of their run.
    known = answer.check.thresholds if answer.check else None
    base = Thresholds(**asdict(known)) if known else Thresholds()
    return verdict_by(answer, base.replaced(given).of_engine(answer.engine))


class LabelledAnswers:
    """Collect scored answers with their labels, by record id or the answer's own name.

    Attributes:
      unlabelled: how many answers without a label have each verdict, by engine.
      by_weight: the same answers by the embedded checker alone, with other weights of its model.
    """

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self.labelled: list[LabelledAnswer] = []
        self.by_weight: defaultdict[float, list[LabelledAnswer]] = defaultdict(list)
        self.damaged: list[str] = []
        self.faults: list[str] = []
        self.last_failure: str | None = None
        self.counts = Counts(labels_unmet=len(labels))
        self.unlabelled: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
        self._labels = dict(labels)

    def add_records(self, paths: Iterable[str], thresholds: GivenThresholds) -> None:
        """Add the answers of enriched files; thresholds replace those of their verdicts."""
        for path in paths:
            for answer in until_damage(read_answers(path), self.damaged):
                self.counts.read += 1
                self._add(answer, thresholds)

    def add_checked(
        self, paths: Sequence[str], settings: EvaluateSettings, weights: Sequence[float] = ()
    ) -> None:
        """Check the answers of archives and add them, also with other weights of a model.

        Raises:
          RunStopped: no call can succeed.
        """
        # Scores need no check, and no client of Google.
        from groundwatch.transforms.check_one import check_answers  # noqa: PLC0415
        from groundwatch.transforms.grounding.try_connection import try_connection  # noqa: PLC0415
        from .check_by_weights import check_by_weights  # noqa: PLC0415

        messages = ArchiveMessages(paths)
        thresholds = settings.verdicts.thresholds
        check_settings = settings.checker.check(
            retries=settings.retries.policy, thresholds=thresholds
        )
        try_connection(check_settings)
        check = partial(check_answers, settings=check_settings)
        routed = (
            each for message in messages for each in route_answers(message, settings.format.options)
        )
        found = check_by_weights(routed, settings.checker, weights, check, thresholds)
        for outcome, by_weight in found:
            self.counts.read += 1
            if isinstance(outcome, EnrichedAnswer):
                self._add(outcome, by_weight=by_weight)
            elif isinstance(outcome, ParseFailure):
                self.counts.unreadable += 1
                if len(self.faults) < SHOWN_FAULTS:
                    self.faults.append(f"{outcome.message.place}: {outcome.error}")
            elif is_of_answer(outcome):
                self.counts.failed += 1
                self.last_failure = str(outcome)
            else:
                raise outcome
        self.damaged += messages.damaged

    def _add(
        self,
        answer: EnrichedAnswer | AnswerRow,
        thresholds: GivenThresholds | None = None,
        by_weight: Mapping[float, EnrichedAnswer] = {},
    ) -> None:
        for name in (answer.record_id, answer.answer_name):
            if name and (label := self._labels.pop(name, None)):
                self.labelled.append(label_answer(answer, label, thresholds))
                for weight, record in by_weight.items():
                    self.by_weight[weight].append(label_answer(record, label))
                self.counts.labelled += 1
                self.counts.unscored += answer.min_claim_score is None
                self.counts.labels_unmet -= 1
                return
        self.counts.unlabelled += 1
        self.unlabelled[answer.engine][answer.verdict] += 1


def holds_records(path: str) -> bool:
    """Return whether a file's header is that of enriched records."""
    # fastavro raises whatever its decoders raise.
    with storage.read(path) as stream, suppress(Exception):
        return is_enriched_schema(fastavro.reader(stream).writer_schema)
    return False
