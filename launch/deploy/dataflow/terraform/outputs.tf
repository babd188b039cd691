output "answers_topic" {
  description = "Where answers are to be published."
  value       = local.answers_topic
}

output "output" {
  description = "Where the enriched records are."
  value       = local.output
}

output "alerts_subscription" {
  description = "Where alerts can be read."
  value       = google_pubsub_subscription.alerts.id
}

output "failures_subscription" {
  description = "Where failures can be read, with their original bytes."
  value       = google_pubsub_subscription.failures.id
}

output "job" {
  description = "The job's id."
  value       = google_dataflow_flex_template_job.watch.job_id
}

output "worker" {
  description = "The account that the workers act as."
  value       = google_service_account.worker.email
}
