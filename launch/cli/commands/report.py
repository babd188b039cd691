"""Write the report of an output folder, or compare two."""

from collections.abc import Iterator
from typing import Annotated, Literal

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.transforms.rules.thresholds import GivenThresholds
from . import Command

_MOST_SHOWN_ANSWERS = 10_000
_OF_ONE_FOLDER = Note(needs="other_folder=")


class ReportSettings(Settings, frozen=True, kw_only=True):
    """The settings of `report`.

    folder: Output folder of a run.
    other_folder: Another output folder, to compare with DIR.
    report_format: A page for a browser, or a comment of a pull request.
    report_output: File for the report; - is standard output. Default: DIR/report.html, or
      OTHER_DIR/comparison.html; with --format markdown the names end in .md.
    shown_answers: How many low-grounded answers are shown, or of two folders changes of each kind.
      Default: 1000; of two folders, 20.
    low_grounded_threshold: Another threshold of the support score. Default: that of the run.
    claim_threshold: Another threshold of a claim's score. Default: that of the run.
    price_per_1k_chars: Price of 1,000 checked characters.
    record_url: Address of a record in your viewer, such as https://viewer.example/r/{record_id}.
    gold: Labels, as `evaluate` reads them. The report has precision and recall by them, in place of
      figures of public answers.
    fail_above: End with exit status 4 as `backfill` does, or 3 if answers are not checked; of two
      folders, by OTHER_DIR.
    """

    folder: Annotated[kinds.Location, Note(positional="DIR")]
    other_folder: Annotated[kinds.Location | None, Note(positional="OTHER_DIR")] = None
    report_format: Annotated[Literal["html", "markdown"], Note(flag="format")] = "html"
    report_output: Annotated[kinds.Location | None, Note(flag="output")] = None
    shown_answers: Annotated[kinds.Count | None, Note(flag="answers")] = None
    low_grounded_threshold: Annotated[tuple[kinds.Threshold, ...], _OF_ONE_FOLDER] = ()
    claim_threshold: Annotated[tuple[kinds.Threshold, ...], _OF_ONE_FOLDER] = ()
    price_per_1k_chars: Annotated[kinds.Positive | None, _OF_ONE_FOLDER] = None
    record_url: kinds.RecordUrl | None = None
    gold: tuple[kinds.Location, ...] = ()
    fail_above: kinds.Fraction | None = None

    @property
    def given_thresholds(self) -> GivenThresholds:
        """The thresholds that replace those of the run."""
        return {"low_grounded": self.low_grounded_threshold, "claim": self.claim_threshold}

    def problems(self) -> Iterator[str]:
        if self.shown_answers and self.shown_answers > _MOST_SHOWN_ANSWERS:
            most = f"at most {_MOST_SHOWN_ANSWERS:,} fit on a page"
            yield f"--answers {self.shown_answers} is too high: {most}"


COMMAND = Command(
    settings=ReportSettings,
    run="groundwatch.launch.quality.report_accuracy:report",
    examples=(
        "out/answers --answers 200",
        "out/answers --claim_threshold 0.5",
        "out/answers out/other-checker",
        "out/before out/after --format markdown --output -",
        "out/answers --gold labels.jsonl",
    ),
)
