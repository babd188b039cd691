locals {
  answers_topic = coalesce(var.answers_topic, one(google_pubsub_topic.answers[*].id))
  kept          = "604800s"  # 7 days
  kept_longer   = "2678400s" # 31 days, the longest there is
}

resource "google_pubsub_topic" "answers" {
  count        = var.answers_topic == null ? 1 : 0
  name         = "${var.name}-answers"
  kms_key_name = var.kms_key
}

# No dead-letter policy and no retry policy: Dataflow supports neither. What cannot be read or
# checked is published to the failure topic by the job itself.
resource "google_pubsub_subscription" "answers" {
  name                       = "${var.name}-answers"
  topic                      = local.answers_topic
  ack_deadline_seconds       = 60
  message_retention_duration = local.kept
  # The job acknowledges a message when Dataflow has stored it, not when its answer is checked.
  retain_acked_messages = var.retain_acked_messages

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_topic" "alerts" {
  name         = "${var.name}-alerts"
  kms_key_name = var.kms_key
}

resource "google_pubsub_subscription" "alerts" {
  name                       = "${var.name}-alerts"
  topic                      = google_pubsub_topic.alerts.id
  message_retention_duration = local.kept

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_topic" "failures" {
  name         = "${var.name}-failures"
  kms_key_name = var.kms_key
}

# Failures hold the original messages: a backfill of them checks them again.
resource "google_pubsub_subscription" "failures" {
  name                       = "${var.name}-failures"
  topic                      = google_pubsub_topic.failures.id
  message_retention_duration = local.kept_longer

  expiration_policy {
    ttl = ""
  }
}
