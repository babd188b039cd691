variable "project" {
  description = "The project of the topic and the dataset."
  type        = string
}

variable "name" {
  description = "Begins the names of schema, topics and subscriptions."
  type        = string
  default     = "groundwatch"
}

variable "dataset" {
  description = "The id of the dataset that is made."
  type        = string
  default     = "groundwatch"
}

variable "location" {
  description = "The location of the dataset, such as EU."
  type        = string
}

variable "publishers" {
  description = "Who publishes records, such as serviceAccount:ACCOUNT: the worker's account."
  type        = set(string)
}

variable "retention_days" {
  description = "Days after which records are deleted; 0 keeps them."
  type        = number
  default     = 0
}

variable "kms_key" {
  description = "A Cloud KMS key for topics and dataset; by default Google's own."
  type        = string
  default     = null
}

output "enriched_topic" {
  description = "The value of --enriched_topic."
  value       = google_pubsub_topic.enriched.id
}

output "answers" {
  description = "The view without repeated records."
  value       = "${var.project}.${var.dataset}.${google_bigquery_table.answers.table_id}"
}
