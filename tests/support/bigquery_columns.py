"""The columns of the BigQuery table, as a file for Terraform.

`python -m tests.support.bigquery_columns` writes launch/bigquery/records.json.
"""

import json
from pathlib import Path

from pipeline.sinks.table_rows import table_columns

PATH = Path(__file__).parents[2] / "launch" / "bigquery" / "records.json"


def written() -> str:
    """The content of the file."""
    return json.dumps(table_columns(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(written(), encoding="utf-8")
