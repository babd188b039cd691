"""Open the target of a name; its packages are imported only then."""

from importlib import import_module
from typing import Any

from launch.export.target import Target, TargetMisconfigured
from schemas.grounding_result import GroundingResult

_TARGETS = {
    "langfuse": "launch.export.langfuse:LangfuseScores",
    "mlflow": "launch.export.mlflow:MlflowAssessments",
    "opentelemetry": "launch.export.otlp:OtlpEvents",
    "phoenix": "launch.export.phoenix:PhoenixAnnotations",
}


def try_target(name: str, url: str | None, problems: list[str]) -> None:
    """Open and close a target; add what it lacks to `problems`."""
    try:
        open_target(name, url).close()
    except TargetMisconfigured as error:
        problems.append(str(error))


def open_target(name: str, url: str | None = None) -> Target[GroundingResult]:
    """Open a target, by default at the address that its environment variables name.

    Raises:
      TargetMisconfigured: a key or a package is missing.
    """
    module, _, class_name = _TARGETS[name].partition(":")
    try:
        opened: Any = getattr(import_module(module), class_name)
    except ImportError as error:
        raise TargetMisconfigured(
            f"{name} needs the package {error.name}: pip install 'groundwatch[otel]'"
        ) from None
    target: Target[GroundingResult] = opened(url)
    return target
