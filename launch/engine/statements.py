"""All SQL of the engine, by table: the name of a statement says what it does.

What else counts stands below it. SQLite keeps the text of a table in the file, and each start
compares it with the one here. So a changed space is another format.
"""

from collections.abc import Mapping

from groundwatch.transforms.persistence.database import checksum_column, row_checksum
from groundwatch.transforms.persistence.seen_ids import SEEN_TABLES

# The file

FORMAT = 1
"""The version of the tables and of the rows in them."""

SET_FORMAT = f"PRAGMA user_version = {FORMAT};"

READ_FORMAT = "PRAGMA user_version"
"""Read the version of the tables, 0 if the file was not finished."""

ROLL_BACK_INTERRUPTED = "PRAGMA schema_version"
"""Read the header, before which SQLite rolls back what a killed process has begun."""

LIST_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
"""

MEASURE_USED_BYTES = """
SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
"""Measure the pages that hold anything, without a look at a row."""

TABLES = (
    *("notes", "plan", "batches", "seen", "chunks", "files"),
    *("ledger", "rates", "outbox", "deliveries"),
)
"""All tables but those of paid replies and of what was spent."""

FIND_ROW: Mapping[str, str] = {
    table: f"SELECT 1 FROM {table} LIMIT 1"  # noqa: S608 - a name from above
    for table in TABLES
}

DELETE_ALL_ROWS = tuple(f"DELETE FROM {table}" for table in TABLES)  # noqa: S608 - names from above

# notes

CREATE_NOTES = f"""
CREATE TABLE IF NOT EXISTS notes (
  name TEXT PRIMARY KEY, content BLOB NOT NULL, {checksum_column("name", "content")}) WITHOUT ROWID;
"""
"""Keep one JSON value under each name, such as the counts of the run."""

READ_NOTE = "SELECT content FROM notes WHERE name = ?"
PUT_NOTE = "INSERT OR REPLACE INTO notes VALUES (?, ?)"

# plan

CREATE_PLAN = f"""
CREATE TABLE IF NOT EXISTS plan (
  number INTEGER PRIMARY KEY, messages INTEGER NOT NULL, ended INTEGER NOT NULL,
  ranges BLOB NOT NULL, state TEXT NOT NULL, attempt TEXT, tries INTEGER NOT NULL DEFAULT 0,
  {checksum_column("number", "messages", "ended", "ranges", "state", "attempt", "tries")});
"""
"""Keep the batches of a bounded run: each is 'waiting', then 'running', then 'done'."""

PLAN_BATCH = "INSERT INTO plan (messages, ended, ranges, state) VALUES (?, ?, ?, 'waiting')"

CLAIM_BATCH = """
UPDATE plan SET state = 'running', attempt = ?, tries = tries + 1
WHERE number = (SELECT min(number) FROM plan WHERE state = 'waiting')
RETURNING number, messages, ended, ranges, tries
"""

FINISH_BATCH = """
UPDATE plan SET state = 'done', ranges = '' WHERE number = ? AND attempt = ? AND state = 'running'
"""
"""Mark a batch as done, if this attempt still has it."""

SHRINK_BATCH = """
UPDATE plan SET state = 'waiting', messages = ?, ranges = ?
WHERE number = ? AND attempt = ? AND state = 'running'
"""
"""Let a batch wait again with fewer messages, if this attempt still has it."""

RETURN_RUNNING_BATCHES = "UPDATE plan SET state = 'waiting' WHERE state = 'running'"
COUNT_UNFINISHED_MESSAGES = "SELECT total(messages) FROM plan WHERE state != 'done'"
LIST_UNFINISHED_BATCHES = "SELECT number, ranges FROM plan WHERE state != 'done'"
REPLACE_BATCH = "UPDATE plan SET state = ?, messages = ?, ranges = ? WHERE number = ?"
FIND_UNFINISHED_BATCH = "SELECT 1 FROM plan WHERE state != 'done' LIMIT 1"

# batches

CREATE_BATCHES = f"""
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY, committed_at_us INTEGER NOT NULL, published_at_us INTEGER,
  {checksum_column("number", "committed_at_us", "published_at_us")});
"""
"""Keep when each batch was committed, and when its latest message was published."""

PUT_BATCH = "INSERT OR REPLACE INTO batches VALUES (?, ?, ?)"

DELETE_OLD_BATCHES = """
DELETE FROM batches
WHERE published_at_us < (SELECT max(published_at_us) FROM batches) - ?1
  AND committed_at_us < (SELECT max(committed_at_us) FROM batches) - ?1
"""
"""Delete the batches that are older than the latest by so many microseconds, in both times."""

# chunks

CHUNK_COLUMNS = (
    *("id", "folder", "kind", "policy", "rows", "bytes"),
    *("first_event_us", "last_event_us", "committed_at_us", "content"),
)
CREATE_CHUNKS = f"""
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, folder TEXT NOT NULL, kind TEXT NOT NULL,
  policy TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
  first_event_us INTEGER, last_event_us INTEGER, committed_at_us INTEGER NOT NULL,
  content BLOB NOT NULL, {checksum_column(*CHUNK_COLUMNS)});
CREATE INDEX IF NOT EXISTS chunk_sizes ON chunks (folder, kind, id, bytes);
"""
"""Keep encoded rows until a final file has them."""

ADD_CHUNK = """
INSERT INTO chunks (folder, kind, policy, rows, bytes, first_event_us, last_event_us,
  committed_at_us, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

COUNT_WAITING_ROWS = """
SELECT kind, total(rows), count(DISTINCT committed_at_us), min(committed_at_us)
FROM chunks GROUP BY kind
"""

MEASURE_FOLDERS = """
SELECT folder, kind, total(bytes) FROM chunks GROUP BY folder, kind ORDER BY 3 DESC
"""
"""Measure what waits for each folder; the index is enough, so that no row with its blob is read."""

LIST_CHUNKS = "SELECT id, bytes FROM chunks WHERE folder = ? AND kind = ? ORDER BY id"

READ_CHUNK = f"""
SELECT content, checksum IS {row_checksum(CHUNK_COLUMNS)}, policy, rows, first_event_us,
  last_event_us
FROM chunks WHERE id = ?
"""  # noqa: S608 - of names

DELETE_PLACED_CHUNKS = """
DELETE FROM chunks WHERE id IN (
  SELECT json_each.value FROM files, json_each(files.chunks) WHERE files.number = ?)
"""

# files

CREATE_FILES = f"""
CREATE TABLE IF NOT EXISTS files (
  number INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL, chunks BLOB NOT NULL,
  state TEXT NOT NULL, entry BLOB,
  {checksum_column("number", "path", "kind", "chunks", "state", "entry")});
"""
"""Keep the files that no manifest lists yet: each is 'begun', then 'written', then 'placed'."""

ADD_FILE = "INSERT INTO files VALUES (?, ?, ?, ?, 'begun', NULL)"
"""Note the name of a file, and its chunks as a JSON list, before it exists."""

MARK_FILE_WRITTEN = "UPDATE files SET state = 'written', entry = ? WHERE number = ?"
"""Note the manifest line of a file that is written under its temporary name."""

MARK_FILE_PLACED = "UPDATE files SET state = 'placed' WHERE number = ?"

LIST_UNPLACED_FILES = """
SELECT number, path, kind, entry FROM files WHERE state != 'placed' ORDER BY number
"""
"""List the files that an interrupted process may have placed, or not."""

LIST_PLACED_FILES = "SELECT number, entry FROM files WHERE state = 'placed' ORDER BY number"
"""List the files that a manifest is to list."""

DELETE_FILE = "DELETE FROM files WHERE number = ?"
DELETE_LISTED_FILES = "DELETE FROM files WHERE number <= ?"

# ledger

CREATE_LEDGER = f"""
CREATE TABLE IF NOT EXISTS ledger (
  hour_us INTEGER PRIMARY KEY, account BLOB NOT NULL, {checksum_column("hour_us", "account")});
"""
"""Keep where the messages of each hour ended."""

READ_HOUR = "SELECT account FROM ledger WHERE hour_us = ?"
LIST_HOURS = "SELECT account FROM ledger ORDER BY hour_us"
PUT_HOUR = "INSERT OR REPLACE INTO ledger VALUES (?, ?)"

# rates

CREATE_RATES = f"""
CREATE TABLE IF NOT EXISTS rates (
  engine BLOB NOT NULL, start_us INTEGER NOT NULL, counts BLOB NOT NULL,
  {checksum_column("engine", "start_us", "counts")},
  PRIMARY KEY (engine, start_us)) WITHOUT ROWID;
"""
"""Keep the counts of each engine in each bucket of time, for alerts on rates."""

READ_RATE = "SELECT counts FROM rates WHERE engine = ? AND start_us = ?"
LIST_RATES = "SELECT engine, counts FROM rates WHERE start_us >= ? ORDER BY start_us"
LIST_ENGINES = "SELECT DISTINCT engine FROM rates"
FIND_ENGINE = "SELECT 1 FROM rates WHERE engine = ? LIMIT 1"
PUT_RATE = "INSERT OR REPLACE INTO rates VALUES (?, ?, ?)"
DELETE_OLD_RATES = "DELETE FROM rates WHERE engine = ? AND start_us < ?"

# outbox

CREATE_OUTBOX = f"""
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, policy TEXT NOT NULL,
  content BLOB NOT NULL, {checksum_column("id", "kind", "policy", "content")});
CREATE INDEX IF NOT EXISTS outbox_kinds ON outbox (kind);
"""
"""Keep the rows that wait for a destination, each destination's under a kind of its own."""

ADD_ROW = "INSERT INTO outbox (kind, policy, content) VALUES (?, ?, ?)"
LIST_ROWS = "SELECT id, policy, content FROM outbox WHERE kind = ? ORDER BY id LIMIT ?"
LIST_ROW_SIZES = "SELECT id, length(content) FROM outbox WHERE kind = ? ORDER BY id"
SUM_ROW_SIZES = "SELECT total(length(content)) FROM outbox WHERE kind = ?"
COUNT_ROWS = "SELECT count(*) FROM outbox WHERE kind = ?"
COUNT_ROWS_BY_KIND = "SELECT kind, count(*) FROM outbox GROUP BY kind"
DELETE_ROWS = "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))"
DELETE_OLDEST_ROWS = "DELETE FROM outbox WHERE kind = ? AND id <= ?"

# deliveries

CREATE_DELIVERIES = f"""
CREATE TABLE IF NOT EXISTS deliveries (
  kind TEXT PRIMARY KEY, sent INTEGER NOT NULL, refused INTEGER NOT NULL,
  skipped INTEGER NOT NULL, dropped INTEGER NOT NULL,
  {checksum_column("kind", "sent", "refused", "skipped", "dropped")}) WITHOUT ROWID;
"""
"""Keep what has become of the rows that have left the outbox."""

ADD_DELIVERED = """
INSERT INTO deliveries VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind) DO UPDATE SET
  sent = sent + excluded.sent, refused = refused + excluded.refused,
  skipped = skipped + excluded.skipped, dropped = dropped + excluded.dropped
"""

LIST_DELIVERED = "SELECT kind, sent, refused, skipped, dropped FROM deliveries ORDER BY kind"

# posted

POSTED_COLUMNS = ("id", "place", "trace", "payload", "attributes")
CREATE_POSTED = f"""
CREATE TABLE IF NOT EXISTS posted (
  id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL, trace TEXT NOT NULL,
  payload BLOB NOT NULL, attributes BLOB NOT NULL, {checksum_column(*POSTED_COLUMNS)});
"""
"""Keep each message, or part of a trace, that came by HTTP until its outcome is durable.

A worker that receives such messages has the table, so that release 2.1.0 reads the other ones.
"""

ADD_POSTED = """
INSERT INTO posted (place, trace, payload, attributes) VALUES (?, ?, ?, ?) RETURNING id
"""
"""Keep a message; its trace is "" if it is no part of one."""

COUNT_POSTED = "SELECT count(DISTINCT ifnull(nullif(trace, ''), id)) FROM posted"
"""Count the messages; the parts of a trace become one."""

LIST_POSTED = "SELECT id, place, trace, payload, attributes FROM posted ORDER BY id"
DELETE_POSTED = "DELETE FROM posted WHERE id IN (SELECT value FROM json_each(?))"

# seen, whose other statements are those of `SeenIds`

RELEASE_ID = "DELETE FROM seen WHERE id = ?"
"""Release the claim of a record id, whose answer is deferred."""

RELEASE_IDS_OF_RUNNING_BATCHES = """
DELETE FROM seen WHERE owner IN (SELECT number FROM plan WHERE state = 'running')
"""
"""Release the claims of an interrupted attempt."""

DELETE_OLD_IDS = "DELETE FROM seen WHERE owner < ? AND owner NOT IN (SELECT number FROM batches)"
"""Delete the ids of batches before a number whose times are deleted."""

# Rows of earlier versions

LIST_CHUNKS_OF_KIND = "SELECT id FROM chunks WHERE kind = ? ORDER BY id"
REPLACE_CHUNK = "UPDATE chunks SET content = ?, bytes = ? WHERE id = ?"
READ_ROW = "SELECT content FROM outbox WHERE id = ?"
REPLACE_ROW = "UPDATE outbox SET content = ? WHERE id = ?"

CREATE_TABLES = SET_FORMAT + "".join(
    (
        *(CREATE_NOTES, CREATE_PLAN, CREATE_BATCHES, CREATE_CHUNKS, CREATE_FILES),
        *(CREATE_LEDGER, CREATE_RATES, CREATE_OUTBOX, CREATE_DELIVERIES, SEEN_TABLES),
    )
)
