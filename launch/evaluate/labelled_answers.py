"""Read scored answers, or check answers now, and join them with their labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from queue import SimpleQueue
from typing import NamedTuple

import fastavro

from launch.inputs.archive_messages import ArchiveMessages
from launch.report.output_folder import UnreadableFile, read_rows
from launch.report.output_records import AnswerRow, answer_from_row
from launch.terminal.unreadable_input import SHOWN_FAULTS
from pipeline import storage
from schemas import Record
from schemas.answer import Answer, Label
from schemas.checked_answer import CheckedAnswer
from schemas.enriched_answer import EnrichedAnswer, is_enriched_schema
from schemas.message import Message
from transforms.formats import ParseFailure, parse_answers
from transforms.grounding.check_session import CheckSession, Outcome
from transforms.grounding.errors import CheckFailed, RunStopped
from transforms.grounding.settings import CheckSettings
from transforms.rules.routing import route
from transforms.rules.tagging import Thresholds, tag_answer


class Counts(Record, frozen=True, kw_only=True):
    """Counts of an evaluation's input.

    Attributes:
      read: messages or records.
      unreadable: messages without an answer.
      failed: answers that could not be checked.
      unlabelled: answers without a label, or read before; they are ignored.
      labelled: answers with a label; the statistics are of these.
      unscored: labelled answers without a score, which are never flagged.
      labels_unmet: labels without an answer.
    """

    read: int
    unreadable: int
    failed: int
    unlabelled: int
    labelled: int
    unscored: int
    labels_unmet: int


class ScoredClaim(NamedTuple):
    """A claim that required a check: UTF-8 byte offsets into the answer, and its score, 0..1."""

    start: int
    end: int
    score: float


class ScoredAnswer(Record, frozen=True, kw_only=True):
    """The scores of an answer.

    Attributes:
      names: by which a label may refer to it: its record id, and its own name if it has one.
      verdict: groundwatch's.
      support_score, min_claim_score: 0..1, None without any scored claim.
      claims: those that required a check and have a score.
      cluster: the same for answers made from the same facts.
      checker: None if the answer was not checked.
    """

    names: tuple[str, ...]
    verdict: str
    support_score: float | None
    min_claim_score: float | None
    claims: tuple[ScoredClaim, ...]
    cluster: str
    checker: str | None


class LabelledAnswer(NamedTuple):
    """An answer's scores and its label."""

    scored: ScoredAnswer
    label: Label


def scored_answer(answer: EnrichedAnswer | AnswerRow) -> ScoredAnswer:
    """Extract the scores of a record."""
    required = ((claim, claim.required_score) for claim in answer.claims)
    facts = "\0".join(fact.text for fact in answer.facts)
    # An answer without known facts is a cluster of its own.
    has_facts = bool(facts.strip("\0"))
    digest = sha256(facts.encode(errors="surrogatepass")).hexdigest()
    return ScoredAnswer(
        names=tuple(filter(None, (answer.record_id, answer.answer_name))),
        verdict=answer.verdict,
        support_score=answer.support_score,
        min_claim_score=answer.min_claim_score,
        claims=tuple(
            ScoredClaim(claim.start, claim.end, score)
            for claim, score in required
            if score is not None
        ),
        cluster=digest if has_facts else answer.record_id,
        checker=answer.check.checker if answer.check else None,
    )


class LabelledAnswers:
    """Collect scored answers with their labels.

    Args:
      labels: by record id or the answer's own name.

    Attributes:
      labelled: the answers that have a label, each once.
      damaged: the files that could not be read to their end, each with its reason.
      faults: the first messages that could not be read: where, and why.
      last_failure: why an answer could not be checked, the last one; None without any.
    """

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self.labelled: list[LabelledAnswer] = []
        self.damaged: list[str] = []
        self.faults: list[str] = []
        self.last_failure: str | None = None
        self._labels = dict(labels)
        self._read = self._unreadable = self._failed = self._unlabelled = 0

    @property
    def is_unreadable(self) -> bool:
        """Whether no message holds an answer."""
        return self._unreadable == self._read

    @property
    def counts(self) -> Counts:
        """The counts so far."""
        return Counts(
            read=self._read,
            unreadable=self._unreadable,
            failed=self._failed,
            unlabelled=self._unlabelled,
            labelled=len(self.labelled),
            unscored=sum(each.scored.min_claim_score is None for each in self.labelled),
            labels_unmet=len(self._labels),
        )

    def add_records(self, paths: Iterable[str], *, salvage: bool = False) -> None:
        """Add the answers of enriched files, with the scores they hold.

        Args:
          paths: of the files.
          salvage: whether to read the rows of a damaged block up to the damage.
        """
        for path in paths:
            try:
                for row in read_rows(path, salvage=salvage):
                    self._read += 1
                    self._add(scored_answer(answer_from_row(row)))
            except UnreadableFile as error:
                self.damaged.append(str(error))

    def add_checked(
        self,
        paths: Sequence[str],
        settings: CheckSettings,
        thresholds: Thresholds,
        *,
        input_format: str | None = None,
        facts_from_steps: bool = False,
        salvage: bool = False,
    ) -> None:
        """Check the answers of archives and add them.

        Args:
          paths: of the archives.
          settings: of the check.
          thresholds: of the verdicts.
          input_format: of every message; None detects it for each.
          facts_from_steps: whether results found in a step count as facts.
          salvage: whether to read the records of a damaged archive up to the damage.

        Raises:
          OSError: a file cannot be read.
          RunStopped: no call can succeed.
        """
        messages = ArchiveMessages(paths, salvage=salvage)
        answers = self._answers(messages, input_format, facts_from_steps=facts_from_steps)
        for outcome in _check(answers, settings, thresholds):
            if isinstance(outcome, EnrichedAnswer):
                self._add(scored_answer(outcome))
            else:
                self._failed += 1
                self.last_failure = str(outcome)
        self.damaged += messages.damaged

    def _answers(
        self, messages: Iterable[Message], input_format: str | None, *, facts_from_steps: bool
    ) -> Iterator[Answer]:
        for message in messages:
            parsed = parse_answers(
                message, input_format=input_format, facts_from_steps=facts_from_steps
            )
            for answer in parsed:
                self._read += 1
                if isinstance(answer, ParseFailure):
                    self._unreadable += 1
                    if len(self.faults) < SHOWN_FAULTS:
                        self.faults.append(f"{answer.message.place}: {answer.error}")
                else:
                    yield answer

    def _add(self, scored: ScoredAnswer) -> None:
        name = next((name for name in scored.names if name in self._labels), None)
        if name is None:
            self._unlabelled += 1
        else:
            self.labelled.append(LabelledAnswer(scored, self._labels.pop(name)))


def holds_records(path: str) -> bool:
    """Tell whether a file holds enriched records, by its header.

    Raises:
      OSError: it cannot be read.
    """
    with storage.read(path) as stream:
        try:
            schema = fastavro.reader(stream).writer_schema
        except Exception:  # noqa: BLE001 - fastavro raises whatever its decoders raise
            return False
    return is_enriched_schema(schema)


def _check(
    answers: Iterable[Answer], settings: CheckSettings, thresholds: Thresholds
) -> Iterator[EnrichedAnswer | CheckFailed]:
    """Check answers concurrently; yield a record or an error for each, in any order."""
    session = CheckSession(settings)
    finished: SimpleQueue[Outcome] = SimpleQueue()
    in_flight = 0
    try:
        for answer in answers:
            decision = route(answer)
            if decision is not None:
                yield tag_answer(CheckedAnswer(answer=answer, decision=decision), thresholds)
                continue
            session.submit(answer, finished.put)
            in_flight += 1
            if in_flight > settings.max_in_flight:
                yield _result(finished.get(), thresholds)
                in_flight -= 1
        for _ in range(in_flight):
            yield _result(finished.get(), thresholds)
    finally:
        session.close()


def _result(outcome: Outcome, thresholds: Thresholds) -> EnrichedAnswer | CheckFailed:
    if isinstance(outcome, CheckedAnswer):
        return tag_answer(outcome, thresholds)
    if isinstance(outcome, RunStopped) or not isinstance(outcome, CheckFailed):
        raise outcome
    return outcome
