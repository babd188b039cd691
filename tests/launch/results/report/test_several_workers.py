"""Several workers may write the same answer once each."""

from pathlib import Path

from groundwatch.launch.results.report.write_report import read_output
from groundwatch.pipeline.sources.output_folder import find_files
from tests.support.reports import a_low, write_enriched


def test_an_answer_that_two_workers_have_written_counts_once(tmp_path: Path) -> None:
    shared, other = a_low(record_id="1" * 64), a_low(record_id="2" * 64)
    for answers, name in (([shared, other], "w-00000001"), ([shared], "w-00000002")):
        path = write_enriched(tmp_path, answers)
        path.rename(path.with_name(f"{name}-000001.avro"))
    assert read_output(find_files(tmp_path.as_posix()), {}).tally.answers == 2
