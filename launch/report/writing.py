"""Writing the report of an output folder."""

from launch.report.files import find_files
from launch.report.page.page import render
from launch.report.reading import read_output
from launch.writing import write_file
from pipeline import storage

REPORT_NAME = "report.html"


def write_report(output: str) -> str:
    """Write the report of a run beside what the run wrote.

    Args:
      output: the output folder, local or gs://.

    Returns:
      The path of the page.

    Raises:
      OSError: the folder cannot be listed, or the page cannot be written.
    """
    path = storage.join(output, REPORT_NAME)
    write_page(path, render(read_output(find_files(output), {}, {}), output))
    return path


def write_page(path: str, page: str) -> None:
    """Write a page whole: a reader sees the page before it, or all of it.

    Raises:
      OSError: it cannot be written.
    """
    write_file(path, page.encode())
