"""Flink's settings on one machine."""

from collections.abc import Mapping

_ALWAYS = {
    "cluster.evenly-spread-out-slots": "true",
    # Beam asks for no restart, and Flink's default for a job without checkpoints is none, too.
    # Each try to use a task manager that is not missed yet counts: the waits have to grow.
    "restart-strategy.type": "exponential-delay",
    "restart-strategy.exponential-delay.initial-backoff": "1 s",
    "restart-strategy.exponential-delay.backoff-multiplier": "2",
    "restart-strategy.exponential-delay.max-backoff": "10 s",
    "restart-strategy.exponential-delay.attempts-before-reset-backoff": "6",
    # A process that was killed is missed within seconds; one that is slow is not given up.
    "heartbeat.interval": "2000",
    "heartbeat.timeout": "30000",
}
_JOB_MANAGER = {
    "jobmanager.rpc.address": "localhost",
    "jobmanager.bind-host": "localhost",
    "jobmanager.memory.process.size": "1g",
    "rest.address": "localhost",
    "rest.bind-address": "localhost",
}
_TASK_MANAGER = {
    "taskmanager.host": "localhost",
    "taskmanager.bind-host": "localhost",
    # One of two can do all the work when the other is gone.
    "taskmanager.numberOfTaskSlots": "2",
    # All of them, since Flink's scripts would calculate what is not said.
    "taskmanager.cpu.cores": "1",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.task.heap.size": "384m",
    "taskmanager.memory.task.off-heap.size": "64m",
    "taskmanager.memory.managed.size": "128m",
    # A step with several outputs takes 512 buffers of 32 KiB in each slot.
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "192m",
    "taskmanager.memory.jvm-overhead.max": "192m",
}


def job_server_settings() -> str:
    """Write the `config.yaml` of a job server that does the work itself."""
    return _lines(_ALWAYS)


def cluster_settings(rpc_port: int, rest_port: int) -> str:
    """Write the `config.yaml` of a cluster, its job server included.

    Args:
      rpc_port: where the job manager listens for task managers.
      rest_port: where it listens for jobs.
    """
    ports = {"jobmanager.rpc.port": str(rpc_port), "rest.port": str(rest_port)}
    return _lines(_ALWAYS | _JOB_MANAGER | ports | _TASK_MANAGER)


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in settings.items())
