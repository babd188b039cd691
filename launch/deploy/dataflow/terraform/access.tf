resource "google_service_account" "worker" {
  account_id   = "${var.name}-worker"
  display_name = "groundwatch's workers on Dataflow"
}

# roles/discoveryengine.user lacks the permission, and the smallest role that has it may read
# documents.
resource "google_project_iam_custom_role" "checker" {
  role_id     = "${replace(var.name, "-", "_")}_checker"
  title       = "groundwatch: check grounding"
  permissions = ["discoveryengine.groundingConfigs.check"]
}

resource "google_project_iam_member" "worker" {
  for_each = {
    dataflow = "roles/dataflow.worker"
    checker  = google_project_iam_custom_role.checker.id
  }
  project = var.project
  role    = each.value
  member  = google_service_account.worker.member
}

resource "google_pubsub_subscription_iam_member" "worker" {
  for_each     = toset(["roles/pubsub.subscriber", "roles/pubsub.viewer"])
  subscription = google_pubsub_subscription.answers.id
  role         = each.value
  member       = google_service_account.worker.member
}

resource "google_pubsub_topic_iam_member" "worker" {
  for_each = {
    alerts   = google_pubsub_topic.alerts.id
    failures = google_pubsub_topic.failures.id
  }
  topic  = each.value
  role   = "roles/pubsub.publisher"
  member = google_service_account.worker.member
}

# A file gets its name by a copy and a deletion, which dataflow.worker may not do.
resource "google_storage_bucket_iam_member" "worker" {
  for_each = {
    output = google_storage_bucket.output.name
    temp   = google_storage_bucket.temp.name
  }
  bucket = each.value
  role   = "roles/storage.objectUser"
  member = google_service_account.worker.member
}

resource "google_artifact_registry_repository_iam_member" "worker" {
  location   = var.image_repository.location
  repository = var.image_repository.id
  role       = "roles/artifactregistry.reader"
  member     = google_service_account.worker.member
}

# Source: https://cloud.google.com/dataflow/docs/concepts/access-control, "Create jobs"
resource "google_project_iam_member" "launcher" {
  for_each = {
    for pair in setproduct(var.launchers, ["roles/dataflow.developer", "roles/compute.viewer"]) :
    join(" ", pair) => { member = pair[0], role = pair[1] }
  }
  project = var.project
  role    = each.value.role
  member  = each.value.member
}

resource "google_storage_bucket_iam_member" "launcher" {
  for_each = var.launchers
  bucket   = google_storage_bucket.temp.name
  role     = "roles/storage.objectAdmin"
  member   = each.value
}

resource "google_service_account_iam_member" "launcher" {
  for_each           = var.launchers
  service_account_id = google_service_account.worker.name
  role               = "roles/iam.serviceAccountUser"
  member             = each.value
}
