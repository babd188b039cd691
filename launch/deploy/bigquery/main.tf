# The project's number, which the name of Pub/Sub's own account contains.
data "google_project" "this" {
  project_id = var.project
}

locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  table        = "${var.project}.${google_bigquery_dataset.answers.dataset_id}.${google_bigquery_table.records.table_id}"
  kept         = "604800s"  # 7 days
  kept_longer  = "2678400s" # 31 days, the longest there is
}

resource "google_pubsub_schema" "enriched" {
  project    = var.project
  name       = "${var.name}-enriched"
  type       = "AVRO"
  definition = file("${path.module}/../../../schemas/avro/enriched_answer.avsc")
}

resource "google_pubsub_topic" "enriched" {
  project      = var.project
  name         = "${var.name}-enriched"
  kms_key_name = var.kms_key

  schema_settings {
    schema   = google_pubsub_schema.enriched.id
    encoding = "BINARY"
  }
}

resource "google_pubsub_topic_iam_member" "publishers" {
  for_each = var.publishers
  topic    = google_pubsub_topic.enriched.id
  role     = "roles/pubsub.publisher"
  member   = each.value
}

resource "google_bigquery_dataset" "answers" {
  project    = var.project
  dataset_id = var.dataset
  location   = var.location

  dynamic "default_encryption_configuration" {
    for_each = var.kms_key[*]
    content {
      kms_key_name = default_encryption_configuration.value
    }
  }
}

# By the time of publication: an answer's own time may be wrong, and BigQuery refuses rows whose
# partition is far from today.
resource "google_bigquery_table" "records" {
  project             = var.project
  dataset_id          = google_bigquery_dataset.answers.dataset_id
  table_id            = "records"
  schema              = file("${path.module}/records.json")
  clustering          = ["engine", "verdict"]
  deletion_protection = true

  time_partitioning {
    type          = "DAY"
    field         = "publish_time"
    expiration_ms = var.retention_days > 0 ? var.retention_days * 86400000 : null
  }
}

# Pub/Sub delivers at least once, and so does groundwatch.
resource "google_bigquery_table" "answers" {
  project             = var.project
  dataset_id          = google_bigquery_dataset.answers.dataset_id
  table_id            = "answers"
  deletion_protection = false

  view {
    query          = templatefile("${path.module}/answers.sql", { table = local.table })
    use_legacy_sql = false
  }
}

resource "google_bigquery_dataset_iam_member" "pubsub" {
  project    = var.project
  dataset_id = google_bigquery_dataset.answers.dataset_id
  role       = "roles/bigquery.dataEditor"
  member     = local.pubsub_agent
}

resource "google_pubsub_subscription" "enriched" {
  project                    = var.project
  name                       = "${var.name}-enriched"
  topic                      = google_pubsub_topic.enriched.id
  message_retention_duration = local.kept

  bigquery_config {
    table            = local.table
    use_topic_schema = true
    write_metadata   = true
  }

  # Rows that BigQuery refuses must not wait for a week.
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.refused.id
    max_delivery_attempts = 5
  }

  expiration_policy {
    ttl = ""
  }

  depends_on = [google_bigquery_dataset_iam_member.pubsub]
}

resource "google_pubsub_topic" "refused" {
  project      = var.project
  name         = "${var.name}-enriched-refused"
  kms_key_name = var.kms_key
}

resource "google_pubsub_subscription" "refused" {
  project                    = var.project
  name                       = "${var.name}-enriched-refused"
  topic                      = google_pubsub_topic.refused.id
  message_retention_duration = local.kept_longer

  expiration_policy {
    ttl = ""
  }
}

# Pub/Sub itself moves a message to the dead-letter topic.
resource "google_pubsub_topic_iam_member" "dead_letters" {
  topic  = google_pubsub_topic.refused.id
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  subscription = google_pubsub_subscription.enriched.id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}
