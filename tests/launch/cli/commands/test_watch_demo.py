"""`groundwatch watch --demo`: the monitoring to be looked at, without a network."""

from pathlib import Path

from tests.support.commands import WITHOUT_EXTRAS, WITHOUT_NETWORK, run
from tests.support.outputs import failures_in, record_ids_in, summary_in

_DEMO = f"""{WITHOUT_NETWORK}{WITHOUT_EXTRAS}
import grpc

def within(open_channel):
    def open_within(target, *given, **named):
        if not target.startswith("127.0.0.1:"):
            sys.stderr.write(f"network: {{target}}")
            os._exit(97)
        return open_channel(target, *given, **named)
    return open_within

grpc.insecure_channel, grpc.secure_channel = map(
    within, (grpc.insecure_channel, grpc.secure_channel)
)
from groundwatch.launch.cli.main import main
from groundwatch.launch.watch import run_demo
run_demo._PER_S = 400
for _ in range(2):
    exit_status = main(["watch", "--demo", "--output", sys.argv[1]])
sys.exit(exit_status)
"""


def test_the_demo_shows_alerts_and_closes_without_a_network_and_so_does_a_second_one(
    tmp_path: Path,
) -> None:
    # What an earlier demo could have left, of another day.
    left_over = tmp_path / "enriched/event_date=2020-01-01/watch-demo-batch0000000001-0-00000.avro"
    left_over.parent.mkdir(parents=True)
    left_over.touch()
    exit_status, told, complained = run("-c", _DEMO, str(tmp_path))
    assert (exit_status, complained) == (0, "")
    assert told.count("every message is accounted for") == 2
    assert "ALERT WARNING answer LOW_GROUNDED" in told
    assert "\n        Ein weiterer kostet 1,50 Euro im Monat." in told
    assert told.count(f"\n  {tmp_path}/report.html  open it") == 2
    assert "<html" in (tmp_path / "report.html").read_text()
    assert " messages: grounded " in told
    summary = summary_in(tmp_path)
    assert summary["closes"] is True
    ids = record_ids_in(tmp_path)
    assert len(ids) == len(set(ids)) == summary["enriched"]
    assert len(failures_in(tmp_path)) == summary["failures"]
