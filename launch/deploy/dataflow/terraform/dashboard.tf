locals {
  charts = {
    "Age of the oldest answer that waits, seconds"        = "max(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=\"${google_pubsub_subscription.answers.name}\"})"
    "Age of the watermark, seconds"                       = "max(dataflow_googleapis_com:job_data_watermark_age{monitored_resource=\"dataflow_job\",job_name=\"${var.name}\"})"
    "Answers a second, by verdict"                        = "sum by (metric_name) (deriv(${local.counted}=~\"verdict_.*\"}[5m]))"
    "Messages a second: read, duplicate, failed, written" = "sum by (metric_name) (deriv(${local.counted}=~\"messages_read|duplicates_seen|parse_failed|checks_failed|written_.*\"}[5m]))"
    "Messages on their way"                               = "sum(${local.counted}=\"messages_read\"}) - sum(${local.counted}=~\"${local.ended}\"})"
    "Calls a second, by status"                           = "sum by (response_code) (rate(serviceruntime_googleapis_com:api_request_count{monitored_resource=\"consumed_api\",service=\"discoveryengine.googleapis.com\"}[5m]))"
    "Seconds that a call takes, 95 of 100"                = "histogram_quantile(0.95, sum by (le) (rate(serviceruntime_googleapis_com:api_request_latencies_bucket{monitored_resource=\"consumed_api\",service=\"discoveryengine.googleapis.com\"}[5m])))"
    "Machines"                                            = "sum(dataflow_googleapis_com:job_current_num_vcpus{monitored_resource=\"dataflow_job\",job_name=\"${var.name}\"}) / ${var.machine_vcpus}"
  }
}

resource "google_monitoring_dashboard" "watch" {
  dashboard_json = jsonencode({
    displayName = var.name
    gridLayout = {
      columns = 2
      widgets = [
        for title, query in local.charts : {
          title = title
          xyChart = {
            dataSets = [{
              plotType        = "LINE"
              timeSeriesQuery = { prometheusQuery = query }
            }]
          }
        }
      ]
    }
  })
}
