"""Report an output folder, or compare two, with the precision and recall by labels of the user."""

from collections import Counter
from collections.abc import Iterator

from groundwatch.launch.cli.commands.report import ReportSettings
from groundwatch.launch.cli.paths import find_inputs
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.results.report.make_report import make_report
from groundwatch.launch.results.shares import FEW_EXAMPLES, Interval, in_percent
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import OutputFiles
from groundwatch.schemas.answer import Label
from .evaluate.labelled_answers import LabelledAnswers
from .evaluate.labels import read_labels

_RESAMPLES = 1_000


def report(loaded: Loaded[ReportSettings]) -> int:
    """Count a run's output, or compare two, and write the report; return 1 if a file is damaged."""
    settings, problems = loaded.settings, loaded.problems
    labels: dict[str, Label] = {}
    if settings.gold:
        labels = read_labels("gold", find_inputs("--gold", settings.gold, problems), problems)

    def measured(files: OutputFiles) -> str:
        return " ".join(_sentences(files, labels, settings)) if settings.gold else ""

    return make_report(loaded, measured)


def _sentences(
    files: OutputFiles, labels: dict[str, Label], settings: ReportSettings
) -> Iterator[str]:
    """Say how far the verdicts of a folder agree with the labels."""
    # These import numpy, which a report without labels does not need.
    from .evaluate.evaluation import answer_examples, unequal_labels, unknown_recall  # noqa: PLC0415
    from .evaluate.statistics import measure_flags  # noqa: PLC0415

    collected = LabelledAnswers(labels)
    collected.add_records(files.enriched, settings.given_thresholds)
    labelled = collected.labelled
    if not labelled:
        yield "No label of --gold belongs to an answer: they are joined by record_id, name or id."
        return
    flags = [each.is_flagged for each in labelled]
    found = measure_flags(answer_examples(labelled), flags, _RESAMPLES)
    of_flagged = f"{found.hits:,} of {found.flagged:,} that are flagged are unsupported"
    yield (
        f"By your labels of {counted(len(labelled), 'answer')},"
        f" {of_flagged}{_interval(found.precision, found.flagged)}."
    )
    verdicts = [each.verdict for each in labelled]
    unlabelled = sum(collected.unlabelled.values(), Counter())
    if unknown := unknown_recall(verdicts, unlabelled):
        yield f"{unknown[0].upper()}{unknown[1:]}."
        return
    of_unsupported = f"{found.hits:,} of {found.unsupported:,} that are unsupported are flagged"
    yield f"{of_unsupported}{_interval(found.recall, found.unsupported)}."
    if unequal := unequal_labels(verdicts, unlabelled):
        yield f"{unequal}."


def _interval(share: Interval | None, total: int) -> str:
    return f": {in_percent(share)}" if share and total >= FEW_EXAMPLES else ""
