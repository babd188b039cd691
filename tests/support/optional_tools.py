"""Programs of other projects that a machine may have, and that some tests need."""

from shutil import which

KUBECTL = which("kubectl")
PROMETHEUS = which("prometheus")
PROMTOOL = which("promtool")
TERRAFORM = which("terraform")

LACKING = {
    "kubectl": "kustomize renders the resources of Kubernetes",
    "prometheus": "Prometheus scrapes a worker (apt-get install prometheus)",
    "promtool": "promtool tests the alert rules (apt-get install prometheus)",
    "terraform": "Terraform judges its files",
}
"""By program, what is not tested without it."""


def lacking() -> list[str]:
    """List the programs that are not here, and what is not tested without them."""
    return [f"{what}: no {name} was found" for name, what in LACKING.items() if not which(name)]
