locals {
  # What Beam counts, as Cloud Monitoring's PromQL names it.
  counted = "dataflow_googleapis_com:job_user_counter{monitored_resource=\"dataflow_job\",job_name=\"${var.name}\",metric_name"
  ended   = "verdict_.*|parse_failed|checks_failed|duplicates_seen|sampled_out"

  job   = "resource.type = \"dataflow_job\" AND resource.labels.job_name = \"${var.name}\""
  calls = "resource.type = \"consumed_api\" AND resource.labels.service = \"discoveryengine.googleapis.com\" AND metric.type = \"serviceruntime.googleapis.com/api/request_count\""

  # Each is true where a single number lies above a threshold for so long.
  thresholds = {
    oldest_unacked = {
      title  = "answers wait in the subscription"
      filter = "resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = \"${google_pubsub_subscription.answers.name}\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
      align  = "ALIGN_MAX"
      above  = 60
      for_s  = 300
      advice = "The job does not run, or cannot read. An outage of the checker does not show here: the job acknowledges what it has read and holds it (see the watermark's age)."
    }
    watermark_age = {
      title  = "the watermark is old"
      filter = "${local.job} AND metric.type = \"dataflow.googleapis.com/job/data_watermark_age\""
      align  = "ALIGN_MAX"
      above  = 900
      for_s  = 600
      advice = "Answers wait inside the job. Usually the checker does not answer: the job holds what it has read and retries it. Otherwise a stage is too slow: look for the stage whose watermark stands, and at its errors. Do not cancel the job: it would lose what it holds. A drain ends only when the checker answers."
    }
    forbidden = {
      title  = "the check is forbidden"
      filter = "${local.calls} AND metric.labels.response_code = \"403\""
      align  = "ALIGN_RATE"
      above  = 0
      for_s  = 0
      advice = "The workers' account lacks discoveryengine.groundingConfigs.check, or a perimeter is in the way. The job holds answers and retries them: nothing is lost unless it is cancelled."
    }
    job_failed = {
      title  = "the job has failed"
      filter = "${local.job} AND metric.type = \"dataflow.googleapis.com/job/is_failed\""
      align  = "ALIGN_MAX"
      above  = 0
      for_s  = 0
      advice = "Read the job's errors, start it again, and seek the subscription to the time before the failure: what the job held is lost with it, but the subscription has kept the messages."
    }
  }

  queries = {
    no_writes = {
      title  = "answers are read and none is written"
      query  = "sum(delta(${local.counted}=\"messages_read\"}[20m])) > 0 unless sum(delta(${local.counted}=\"written_enriched\"}[20m])) > 0"
      for_s  = 600
      advice = "Can the workers write to the bucket (storage.objectUser, quota, a deleted bucket)? Are all messages failures?"
    }
    ledger_gap = {
      title  = "messages are unaccounted for"
      query  = "min_over_time((sum(${local.counted}=\"messages_read\"}) - sum(${local.counted}=~\"${local.ended}\"}))[1h:1m]) > ${var.ledger_gap}"
      for_s  = 0
      advice = "Every message read ends in one record or one failure, or is counted as a duplicate or as sampled out. More than ever are under way have been on their way for an hour: either a bundle is stuck (see the watermark), or messages were lost, which is a defect; please report it."
    }
  }
}

resource "google_monitoring_alert_policy" "threshold" {
  for_each              = local.thresholds
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  notification_channels = var.notification_channels

  conditions {
    display_name = each.value.title

    condition_threshold {
      filter          = each.value.filter
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.above
      duration        = "${each.value.for_s}s"

      aggregations {
        alignment_period   = "60s"
        per_series_aligner = each.value.align
      }
    }
  }

  documentation {
    content = each.value.advice
  }
}

resource "google_monitoring_alert_policy" "refused" {
  display_name          = "${var.name}: the checker refuses calls"
  combiner              = "OR"
  notification_channels = var.notification_channels

  conditions {
    display_name = "more than a tenth of the calls get 429"

    condition_threshold {
      filter             = "${local.calls} AND metric.labels.response_code = \"429\""
      denominator_filter = local.calls
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.1
      duration           = "600s"

      aggregations {
        alignment_period     = "60s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }

      denominator_aggregations {
        alignment_period     = "60s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    content = "The project's quota is used up. Set requests_per_minute to it, look at a sample, or ask for more; until then calls are held back and answers wait in the job."
  }
}

resource "google_monitoring_alert_policy" "query" {
  for_each              = local.queries
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  notification_channels = var.notification_channels

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query               = each.value.query
      duration            = "${each.value.for_s}s"
      evaluation_interval = "60s"
    }
  }

  documentation {
    content = each.value.advice
  }
}
