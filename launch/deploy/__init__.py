"""Where groundwatch runs beside a laptop: images, Kubernetes, Dataflow, Flink, BigQuery."""
