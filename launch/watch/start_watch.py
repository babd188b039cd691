"""Start the worker, or the demo; or raise UsageError.

What runs them is imported when all settings are valid: an import of Beam takes a second.
"""

import sys

from msgspec.structs import replace

from groundwatch.launch.cli.commands.watch import WatchDemoSettings, WatchSettings
from groundwatch.launch.cli.paths import default_run_id, default_work_folder, try_output
from groundwatch.launch.cli.placement import place_job
from groundwatch.launch.engine.process_count import in_worker_processes
from groundwatch.launch.targets.http_sender import require_secret
from groundwatch.launch.targets.target import collecting_problems, open_target
from groundwatch.pipeline.settings.config import Config, Destination, job_config
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.transforms.grounding.settings import OutagePolicy
from groundwatch.transforms.rules.alerting import AlertRule
from .alerts.webhooks import open_webhooks, send_test_alerts


def watch_subscription(loaded: Loaded[WatchSettings]) -> int:
    """Check the answers of a subscription until SIGTERM or SIGINT; return the exit status."""
    settings, problems = loaded.settings, loaded.problems
    job = settings.job
    placement = place_job(loaded, job, problems)
    source = settings.source.name
    run_id = job.output.run_id or default_run_id(
        [f"pubsub://{source}" if settings.source.subscription else source]
    )
    destination = Destination(root=job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
    for name, url in settings.results.results_to:
        with collecting_problems(problems):
            open_target(name, url).close()
    if settings.source.listen_key:
        with collecting_problems(problems, "--listen_key "):
            require_secret(settings.source.listen_key)
    for kind, variable in settings.webhooks.alert_webhook:
        with collecting_problems(problems, "--alert_webhook "):
            for target, _ in open_webhooks(kind, variable, ""):
                target.close()
    loaded.raise_problems()
    placement.warn_of_unused_flags()
    if settings.webhooks.test_alert:
        return send_test_alerts(settings.webhooks.alert_webhook, source, sys.stderr.write)
    config = job_config(
        job,
        run=run_id,
        given=loaded.given,
        work_folder=job.local.work_folder or default_work_folder(destination),
        # The journal keeps each reply with its record before the message is acknowledged.
        reply_folder=None,
        retries=settings.worker.retries,
        outage=OutagePolicy.HOLD,
        keeps_results=bool(settings.results.results_to),
        publishes_enriched=settings.pubsub.enriched_topic is not None,
        beam_arguments=placement.beam_arguments,
    )
    from .run_worker import watch  # noqa: PLC0415 - it imports Beam

    check = in_worker_processes(config.check, settings.worker.workers)
    return watch(replace(config, check=check), settings)


def watch_demo(loaded: Loaded[WatchDemoSettings]) -> int:
    """Monitor the sample answers; return the exit status."""
    destination = Destination(root=loaded.settings.watch_demo_output, run="watch-demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    config = Config(
        inputs=(),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
        alerts=AlertRule(with_text=True),
    )
    from .run_demo import run_demo  # noqa: PLC0415 - it imports Beam

    return run_demo(config)
