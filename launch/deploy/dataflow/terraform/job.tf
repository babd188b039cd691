resource "google_storage_bucket_object" "template" {
  bucket  = google_storage_bucket.temp.name
  name    = local.template_path
  content = local.template

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_dataflow_flex_template_job" "watch" {
  provider = google-beta

  name                    = var.name
  region                  = var.region
  container_spec_gcs_path = "gs://${google_storage_bucket_object.template.bucket}/${google_storage_bucket_object.template.name}"
  transform_name_mapping  = var.transform_name_mapping

  # A job that is destroyed is drained: it ends when all it has read is processed. While the checker
  # does not answer, this waits. A cancelled job would lose what it holds.
  on_delete = "drain"

  enable_streaming_engine = true
  service_account_email   = google_service_account.worker.email
  kms_key_name            = var.kms_key

  parameters = merge(
    {
      subscription     = google_pubsub_subscription.answers.id
      output           = local.output
      alert_topic      = google_pubsub_topic.alerts.id
      failure_topic    = google_pubsub_topic.failures.id
      run_id           = var.name
      checker          = "discoveryengine"
      grounding_config = "projects/${var.project}/locations/global/groundingConfigs/default_grounding_config"

      # Of all machines that there may be: a quota is divided by them.
      workers = tostring(var.max_workers * var.machine_vcpus)
      # The workers' image; by default that of the template, which may be overridden.
      sdk_container_image = var.image
    },
    var.parameters,
  )

  depends_on = [
    google_artifact_registry_repository_iam_member.worker,
    google_project_iam_member.worker,
    google_pubsub_subscription_iam_member.worker,
    google_pubsub_topic_iam_member.worker,
    google_storage_bucket_iam_member.worker,
  ]

  # Not set here, see template.tf. A value that is read back is not a reason for another job.
  lifecycle {
    ignore_changes = [
      machine_type, max_workers, network, num_workers, sdk_container_image, staging_location,
      subnetwork, temp_location,
    ]
    precondition {
      condition     = max(var.num_workers, var.min_num_workers) <= var.max_workers
      error_message = "num_workers and min_num_workers must not be more than max_workers."
    }
  }
}
