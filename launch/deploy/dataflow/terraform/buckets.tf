locals {
  output = "gs://${google_storage_bucket.output.name}/watch"
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

  # What a machine left that went away while it wrote. Not sooner than a row may be late: a file
  # that cannot be published for a while waits here.
  lifecycle_rule {
    condition {
      age            = 31
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
  name                        = local.temp_bucket
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

  # Never what is staged: a job's new machines fetch it as long as the job runs.
  lifecycle_rule {
    condition {
      age            = 14
      matches_prefix = ["temp/"]
    }
    action {
      type = "Delete"
    }
  }
}
