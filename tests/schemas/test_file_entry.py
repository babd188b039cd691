"""Lines of the manifest, written and read back."""

import json

from schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json
from tests.support.builders import NOON_US


def test_an_entry_says_what_is_in_its_file() -> None:
    entry = FileEntry(path="enriched/é.avro", rows=3, bytes=512, first_event_us=0)
    assert json.loads(file_entry_to_json(entry)) == {
        "path": "enriched/é.avro",
        "rows": 3,
        "bytes": 512,
        "first_event_time": "1970-01-01T00:00:00.000000Z",
        "last_event_time": None,
    }


def test_an_entry_is_read_back_without_its_times() -> None:
    entry = FileEntry(path="a", rows=3, bytes=512, first_event_us=0, last_event_us=NOON_US)
    assert file_entry_from_json(file_entry_to_json(entry)) == FileEntry(path="a", rows=3, bytes=512)
