# The job's template. Its path changes with its content: the image, the parameters that the job
# knows, and the machines. The job is then updated in place.
#
# The machines are the template's and not arguments of the job: the provider cannot read these back
# from a job in Python, so that every apply would replace the job or, if they were ignored, an update
# would leave them out (hashicorp/terraform-provider-google#21322, #23797, open).
locals {
  floor = var.min_num_workers > 0 ? ["min_num_workers=${var.min_num_workers}"] : []

  environment = {
    numWorkers            = max(var.num_workers, var.min_num_workers)
    maxWorkers            = var.max_workers
    machineType           = var.machine_type
    tempLocation          = "gs://${local.temp_bucket}/temp"
    stagingLocation       = "gs://${local.temp_bucket}/staging"
    additionalExperiments = concat(local.floor, var.experiments)
  }
  network = var.subnetwork == null ? {} : {
    subnetwork      = var.subnetwork
    ipConfiguration = "WORKER_IP_PRIVATE"
  }

  # As tests/support/templates.py writes it for launch/deploy/dataflow/build.
  template = jsonencode({
    image              = var.image
    sdkInfo            = { language = "PYTHON" }
    metadata           = jsondecode(file("${path.module}/../watch.json"))
    defaultEnvironment = merge(local.environment, local.network)
  })
  template_path = "templates/watch-${substr(sha256(local.template), 0, 12)}.json"
  temp_bucket   = "${var.project}-${var.name}-temp"
}
