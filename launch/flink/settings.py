"""Flink's settings for a cluster on one machine."""

from collections.abc import Mapping

SLOTS = 2
"""Of a task manager: with two of them, one can do all the work when the other is gone."""

_ALWAYS = {
    "cluster.evenly-spread-out-slots": "true",
    # Beam asks for no restart of its own, and Flink's default for batch is none, too.
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "10",
    "restart-strategy.fixed-delay.delay": "1 s",
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
    "taskmanager.numberOfTaskSlots": str(SLOTS),
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


def settings_text(rpc_port: int, rest_port: int) -> str:
    """Write the content of `config.yaml`.

    Args:
      rpc_port: where the job manager listens for task managers.
      rest_port: where it listens for jobs.
    """
    ports = {"jobmanager.rpc.port": str(rpc_port), "rest.port": str(rest_port)}
    return _lines(_ALWAYS | _JOB_MANAGER | ports | _TASK_MANAGER)


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in settings.items())
