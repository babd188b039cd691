variable "project" {
  description = "The project of everything here, and of the check."
  type        = string
}

variable "region" {
  description = "The region of the job and of the buckets, such as europe-west1."
  type        = string
}

variable "name" {
  description = "Begins the name of everything here; the job's name."
  type        = string
  default     = "groundwatch"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,20}[a-z0-9]$", var.name))
    error_message = "The name must be 4 to 22 lower-case letters, digits and hyphens."
  }
}

variable "image" {
  description = "The image of the job by its digest, as launch/deploy/dataflow/build prints it."
  type        = string

  validation {
    condition     = can(regex("^[^@ ]+@sha256:[0-9a-f]{64}$", var.image))
    error_message = "The image must be named by its digest, NAME@sha256:DIGEST: a new image is seen by its name only."
  }
}

variable "image_repository" {
  description = "The Artifact Registry repository of the image: its location and its id."
  type = object({
    location = string
    id       = string
  })
}

variable "answers_topic" {
  description = "The topic that answers are published to, projects/P/topics/T; by default one is made."
  type        = string
  default     = null
}

variable "parameters" {
  description = "Further parameters of the template, such as requests_per_minute, low_grounded_threshold or sample."
  type        = map(string)
  default     = {}
}

variable "num_workers" {
  description = "Machines at the start."
  type        = number
  default     = 1
}

variable "min_num_workers" {
  description = "Machines at least; the autoscaler sees a machine that waits for the checker as idle. 0 leaves it to Dataflow."
  type        = number
  default     = 0
}

variable "max_workers" {
  description = "Machines at most: a quota is divided by their vCPUs."
  type        = number
  default     = 10
}

variable "experiments" {
  description = "Further experiments and service options of Dataflow, such as enable_google_cloud_profiler."
  type        = list(string)
  default     = []
}

variable "transform_name_mapping" {
  description = "For an update from a version whose steps had other names: old names, or prefixes of names, to new ones."
  type        = map(string)
  default     = {}
}

variable "retain_acked_messages" {
  description = "Whether the subscription keeps acknowledged messages for 7 days, so that it can be read again after a cancelled job."
  type        = bool
  default     = true
}

variable "machine_type" {
  description = "The machines' type."
  type        = string
  default     = "n2-standard-2"
}

variable "machine_vcpus" {
  description = "vCPUs of a machine of this type: each runs a process, and a quota is divided by them all."
  type        = number
  default     = 2
}

variable "subnetwork" {
  description = "regions/R/subnetworks/S, with Private Google Access; machines have no public address then."
  type        = string
  default     = null
}

variable "kms_key" {
  description = "A Cloud KMS key for buckets, topics and the job; by default Google's own."
  type        = string
  default     = null
}

variable "retention_days" {
  description = "Days after which enriched records are deleted; 0 keeps them."
  type        = number
  default     = 0
}

variable "launchers" {
  description = "Who may start and drain jobs, such as group:sre@example.com."
  type        = set(string)
  default     = []
}

variable "notification_channels" {
  description = "Cloud Monitoring channels that receive the alerts."
  type        = list(string)
  default     = []
}

variable "ledger_gap" {
  description = "Messages that may be on their way at once: above it for an hour, some are lost."
  type        = number
  default     = 10000
}
