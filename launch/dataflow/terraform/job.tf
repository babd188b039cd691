resource "google_dataflow_flex_template_job" "watch" {
  provider = google-beta

  name                    = var.name
  region                  = var.region
  container_spec_gcs_path = var.template

  # To be destroyed is to be drained: what is under way is worked off.
  on_delete = "drain"

  max_workers             = var.max_workers
  machine_type            = var.machine_type
  enable_streaming_engine = true
  service_account_email   = google_service_account.worker.email
  temp_location           = local.temp
  staging_location        = local.staging
  subnetwork              = var.subnetwork
  ip_configuration        = var.subnetwork == null ? null : "WORKER_IP_PRIVATE"
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
      workers          = tostring(var.max_workers * var.machine_vcpus)
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
}
