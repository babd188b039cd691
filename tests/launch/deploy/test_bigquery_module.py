"""The Terraform of the BigQuery subscription: its columns, permissions and view."""

import json
import re
from pathlib import Path

import duckdb

from groundwatch.schemas.avro import load_schema
from tests.support.bigquery_columns import PATH, table_columns, written
from tests.support.terraform import load, name_of, resources

FOLDER = PATH.parent
BLOCKS = load(FOLDER)
RESOURCES = {name_of(resource): resource for resource in resources(BLOCKS)}
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.tf")))
MAX_SCHEMA_BYTES = 300_000  # of Pub/Sub


def test_the_columns_are_the_fields_of_the_schema_and_the_subscriptions() -> None:
    assert PATH.read_text(encoding="utf-8") == written(), (
        "run `python -m tests.support.bigquery_columns`, and commit what it writes"
    )
    names = [field["name"] for field in load_schema("enriched_answer")["fields"]]
    found = {column["name"]: column for column in table_columns()}
    assert [*found][: len(names)] == names
    assert found["facts"]["mode"] == found["tags"]["mode"] == "REPEATED"
    assert found["event_time"] == {"name": "event_time", "type": "TIMESTAMP", "mode": "NULLABLE"}


def test_pubsub_takes_the_schema_and_the_encoding_is_that_of_the_messages() -> None:
    avsc = Path(load_schema.__code__.co_filename).with_name("enriched_answer.avsc")
    assert avsc.stat().st_size <= MAX_SCHEMA_BYTES
    topic = RESOURCES["google_pubsub_topic.enriched"].arguments
    assert topic["schema_settings"][0]["encoding"] == "BINARY"
    [config] = RESOURCES["google_pubsub_subscription.enriched"].arguments["bigquery_config"]
    assert (config["use_topic_schema"], config["write_metadata"]) == (True, True)


def test_only_what_is_needed_is_permitted() -> None:
    assert sorted(re.findall(r'"(roles/[\w.]+)"', TEXT)) == [
        "roles/bigquery.dataEditor",
        "roles/pubsub.publisher",
        "roles/pubsub.publisher",
        "roles/pubsub.subscriber",
    ]


def test_the_view_shows_each_record_once() -> None:
    # DuckDB names BigQuery's EXCEPT otherwise, and quotes names otherwise.
    view = (FOLDER / "answers.sql").read_text(encoding="utf-8")
    view = view.replace("EXCEPT", "EXCLUDE").replace("`${table}`", "records")
    rows = [("a", 2, "m2", "late"), ("a", 1, "m1", "first"), ("b", 3, "m3", "only")]
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE records (record_id TEXT, publish_time INT, message_id TEXT, verdict TEXT,"
        " subscription_name TEXT, attributes TEXT)"
    )
    connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, 's', '{}')", rows)
    assert sorted(connection.execute(view).fetchall()) == [("a", "first"), ("b", "only")]


def test_the_table_is_partitioned_by_a_column_that_it_has() -> None:
    table = RESOURCES["google_bigquery_table.records"].arguments
    names = {column["name"] for column in json.loads(PATH.read_bytes())}
    assert {table["time_partitioning"][0]["field"], *table["clustering"]} <= names
