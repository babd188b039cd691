"""Running on Google Cloud Dataflow: jobs that are started and left to themselves."""
