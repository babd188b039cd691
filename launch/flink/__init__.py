"""Flink on this machine: its jars, a job server or a cluster, Python workers, a command on them."""
