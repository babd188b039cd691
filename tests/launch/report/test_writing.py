"""Writing the page: whole, on disk and in a bucket, from text of any language."""

from pathlib import Path

import pytest

from launch.report import writing
from launch.report.writing import write_page, write_report
from tests.support.pages import parse_page
from tests.support.reports import a_low, write_enriched, write_lines, write_summary
from tests.support.storage_server import storage_server


def test_the_page_of_a_bucket_stands_in_the_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_enriched(tmp_path, [a_low("مرحبا القطط")])
    write_lines(tmp_path, "alerts", {"kind": "answer", "severity": "warning"})
    write_lines(tmp_path, "failures", {"step": "ParseAnswers", "error_class": "UnreadableAnswer"})
    write_summary(tmp_path)
    with storage_server(monkeypatch) as buckets:
        for path in tmp_path.rglob("*.*"):
            buckets.put(f"gs://out/run/{path.relative_to(tmp_path)}", path.read_bytes())
        assert write_report("gs://out/run") == "gs://out/run/report.html"
        written = buckets.below("gs://out/run/")["report.html"]
    page = parse_page(written.decode())
    assert page.all("h1")[0].text.startswith("1 of 1 judged answer is not supported")
    assert "UnreadableAnswer" in page.text
    assert "مرحبا" in page.text


def test_a_page_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(str(path), "first, and longer")
    write_page(str(path), "second")
    assert path.read_text() == "second"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_page_that_cannot_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.html"
    write_page(str(path), "first")
    monkeypatch.setattr(writing.storage, "publish", refuse)
    with pytest.raises(OSError, match="No space"):
        write_page(str(path), "second")
    assert path.read_text() == "first"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_name_without_a_folder_is_a_file_of_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_page("page.html", "text")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
