"""The answers of an evaluation: checked now, or scored by an earlier run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import fastavro

from launch.evaluate.checking import check_answers
from launch.evaluate.evaluation import Counts
from launch.evaluate.scored import (
    LabelledAnswer,
    ScoredAnswer,
    scored_from_record,
    scored_from_row,
)
from launch.inputs.archive_messages import ArchiveMessages
from launch.report.output_folder import UnreadableFile, read_rows
from launch.terminal.unreadable_input import SHOWN_FAULTS
from pipeline import storage
from schemas.answer import Answer, Label
from schemas.enriched_answer import EnrichedAnswer, is_enriched_schema
from schemas.message import Message
from transforms.formats import ParseFailure, parse_answers
from transforms.grounding.settings import CheckSettings
from transforms.rules.tagging import Thresholds


class Intake:
    """Reads scored answers and puts them together with their labels.

    Args:
      labels: what people said of answers, by record id or the answer's own name.

    Attributes:
      damaged: what is wrong with files that could not be read to their end.
      faults: what is wrong with the messages that could not be read, and where they stand; the
        first ones.
      last_failure: why the last answer that could not be checked could not; None without any.
    """

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self.damaged: list[str] = []
        self.faults: list[str] = []
        self.last_failure: str | None = None
        self._labels = dict(labels)
        self._read = self._unreadable = self._failed = self._unlabelled = 0
        self._labelled: list[LabelledAnswer] = []

    @property
    def labelled(self) -> Sequence[LabelledAnswer]:
        """The answers that have a label, each once."""
        return self._labelled

    @property
    def is_unreadable(self) -> bool:
        """Whether nothing that was read holds an answer."""
        return self._unreadable == self._read

    @property
    def counts(self) -> Counts:
        """Who took part so far."""
        return Counts(
            read=self._read,
            unreadable=self._unreadable,
            failed=self._failed,
            unlabelled=self._unlabelled,
            labelled=len(self._labelled),
            unscored=sum(each.scored.min_claim_score is None for each in self._labelled),
            labels_unmet=len(self._labels),
        )

    def take_records(self, paths: Iterable[str], *, salvage: bool = False) -> None:
        """Take the scores that enriched records hold.

        Args:
          paths: of the files.
          salvage: whether to take rows of a damaged block that stand before the damage, too.
        """
        for path in paths:
            try:
                for row in read_rows(path, salvage=salvage):
                    self._read += 1
                    self._label(scored_from_row(row))
            except UnreadableFile as error:
                self.damaged.append(str(error))

    def take_checked(
        self,
        paths: Sequence[str],
        settings: CheckSettings,
        thresholds: Thresholds,
        *,
        input_format: str | None = None,
        facts_from_steps: bool = False,
        salvage: bool = False,
    ) -> None:
        """Check the answers that archives hold, and take their scores.

        Args:
          paths: of the archives.
          settings: by whom the answers are checked, and how.
          thresholds: where the lines are drawn.
          input_format: of every message; None recognises each by its fields.
          facts_from_steps: whether what was found in a step counts as a fact.
          salvage: whether records of a damaged archive count that no checksum confirms.

        Raises:
          OSError: a file cannot be read.
          RunStopped: no call can succeed.
        """
        messages = ArchiveMessages(paths, salvage=salvage)
        answers = self._answers(messages, input_format, facts_from_steps=facts_from_steps)
        for outcome in check_answers(answers, settings, thresholds):
            if isinstance(outcome, EnrichedAnswer):
                self._label(scored_from_record(outcome))
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

    def _label(self, scored: ScoredAnswer) -> None:
        name = next((name for name in scored.names if name in self._labels), None)
        if name is None:
            self._unlabelled += 1
        else:
            self._labelled.append(LabelledAnswer(scored, self._labels.pop(name)))


def holds_records(path: str) -> bool:
    """Tell whether a file holds enriched records, by its beginning.

    Raises:
      OSError: it cannot be read.
    """
    with storage.read(path) as stream:
        try:
            schema = fastavro.reader(stream).writer_schema
        except Exception:  # noqa: BLE001 - fastavro meets what is no Avro with whatever its decoders raise
            return False
    return is_enriched_schema(schema)
