locals {
  output = "gs://${google_storage_bucket.output.name}/watch"
  temp   = "gs://${google_storage_bucket.temp.name}/dataflow"
}

resource "google_storage_bucket" "output" {
  name                        = "${var.project}-${var.name}-output"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  dynamic "encryption" {
    for_each = var.kms_key[*]
    content {
      default_kms_key_name = encryption.value
    }
  }

  # What a machine left that went away while it wrote.
  lifecycle_rule {
    condition {
      age            = 2
      matches_prefix = ["watch/.groundwatch-"]
    }
    action {
      type = "Delete"
    }
  }

  dynamic "lifecycle_rule" {
    for_each = var.retention_days > 0 ? [var.retention_days] : []
    content {
      condition {
        age            = lifecycle_rule.value
        matches_prefix = ["watch/enriched/"]
      }
      action {
        type = "Delete"
      }
    }
  }
}

resource "google_storage_bucket" "temp" {
  name                        = "${var.project}-${var.name}-temp"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  dynamic "encryption" {
    for_each = var.kms_key[*]
    content {
      default_kms_key_name = encryption.value
    }
  }

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    condition {
      age = 14
    }
    action {
      type = "Delete"
    }
  }
}
