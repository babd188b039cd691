"""Run a command on an Apache Flink that is started for it on this machine."""
