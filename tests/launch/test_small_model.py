"""The model that comes with groundwatch: an answer has the same verdict wherever it is checked."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import groundwatch
from groundwatch.transforms.grounding.embedded_service import BY_WORDS, load_checker
from groundwatch.transforms.grounding.scorers.model_files import find_model
from groundwatch.transforms.grounding.settings import LOCAL, SMALL, settings_for
from tests.support.archives import an_envelope
from tests.support.checks import check_request
from tests.support.commands import GROUNDWATCH, run, start
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.outputs import Json, records_in
from tests.support.runs import an_archive, backfill
from tests.support.watching import WatchProcess

_TOPIC, _SUBSCRIPTION = (f"projects/local/{kind}/answers" for kind in ("topics", "subscriptions"))
_MOST_MEGABYTES = 40

FACTS = [
    "Orders over 50 euros are free. The invoice is sent by email once the parcel is on its way.",
    "Managers may approve the expenses of their team. Team members file their expenses themselves.",
]
ANSWER = (
    "You will get the bill electronically as soon as your package is on its way."
    " Team members can sign off what their managers have spent."
)


def by_library(_: Path) -> Json:
    return groundwatch.check(ANSWER, FACTS).to_dict()


def by_check(folder: Path) -> Json:
    files = []
    for number, fact in enumerate(FACTS):
        file = folder / f"{number}.txt"
        file.write_text(fact)
        files.append(str(file))
    _, printed, _ = run(*GROUNDWATCH, "check", "--json", "--answer", ANSWER, "--fact_file", *files)
    return json.loads(printed)


def by_backfill(folder: Path) -> Json:
    archive = an_archive(folder, an_envelope(0, answer=ANSWER, facts=FACTS))
    assert backfill(archive, folder / "out") == 0
    [record] = records_in(folder / "out")
    return record


def by_server(_: Path) -> Json:
    with start(*GROUNDWATCH, "serve-checker", "--port", "0") as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        return groundwatch.check(ANSWER, FACTS, checker=address).to_dict()


def by_worker(folder: Path) -> Json:
    with FakePubSub() as server:
        server.create(_TOPIC, _SUBSCRIPTION)
        server.publish(_TOPIC, [an_envelope(0, answer=ANSWER, facts=FACTS)])
        with WatchProcess(server.address, _SUBSCRIPTION, folder / "out") as worker:
            worker.wait_for(lambda: not server.counts(_SUBSCRIPTION).outstanding)
            assert worker.end()[0] == 0
    [record] = records_in(folder / "out")
    return record


@pytest.mark.parametrize("checked", [by_check, by_backfill, by_server, by_worker])
def test_an_answer_has_the_same_scores_wherever_it_is_checked(
    checked: Callable[[Path], Json], tmp_path: Path
) -> None:
    record, expected = checked(tmp_path), by_library(tmp_path)
    scores, found = ([claim["score"] for claim in each["claims"]] for each in (expected, record))
    assert found == pytest.approx(scores)
    assert record["verdict"] == expected["verdict"]
    assert record["check"]["revision"] == expected["check"]["revision"] == "words-2+small-1"
    by_words = groundwatch.check(ANSWER, FACTS, scorer="none")
    assert [claim.score for claim in by_words.claims] != pytest.approx(scores, abs=0.05)


def test_it_is_loaded_only_for_a_claim_that_the_words_leave_uncertain_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    program = """
import os
import sys
os.environ["HOME"] = sys.argv[1]
import groundwatch
facts = ["Lamps glow red in the shop.", "Tea is hot."]
groundwatch.check("Lamps glow red in the shop.", facts)
assert "onnxruntime" not in sys.modules
record = groundwatch.check("The shop's lights shine in a warm colour.", facts)
assert "onnxruntime" in sys.modules
"""
    assert run("-c", program, str(tmp_path))[::2] == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        (
            "Die Rechnung kommt per Post und kostet nichts.",
            "Die Rechnung wird per E-Mail versandt.",
        ),
        (
            "La facture arrive par la poste.",
            "La facture est envoyée par courriel, jamais autrement.",
        ),
    ],
)
def test_in_other_languages_words_alone_decide(answer: str, fact: str) -> None:
    record = groundwatch.check(answer, [fact])
    by_words = groundwatch.check(answer, [fact], scorer="none")
    assert "UNREAD_LANGUAGE" in record.tags
    assert [claim.score for claim in record.claims] == [claim.score for claim in by_words.claims]


def test_other_files_are_another_revision() -> None:
    files = find_model(SMALL)
    digests = (
        sha256((files.folder / name).read_bytes()).hexdigest()[:12]
        for name in ("model.onnx", "tokenizer.json", "config.json")
    )
    assert (files.revision, *digests) == ("small-1", "1488b649aca3", "d241a60d5e8f", "3bcf92ab3e21")


def test_it_is_small_and_its_card_names_its_figures() -> None:
    folder = find_model(SMALL).folder
    assert sum(file.stat().st_size for file in folder.iterdir()) < _MOST_MEGABYTES * 1e6
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert all(name in card for name in ("licence", "RAGTruth", "AUROC", "does not see"))


def test_a_request_that_the_words_are_certain_of_has_their_reply() -> None:
    request = check_request("Lamps glow red in the shop.", "Lamps glow red in the shop.")
    assert load_checker(SMALL, 1.0).check(request) == BY_WORDS.check(request)


def test_its_outcome_waits_for_no_other() -> None:
    assert settings_for(LOCAL).max_in_flight > 1
    assert settings_for(LOCAL).outcomes_per_batch == 1


@pytest.mark.parametrize(("scorer", "status"), [("small", 0), ("none", 2)])
def test_it_can_be_the_second_of_two_behind_words_alone(
    scorer: str, status: int, tmp_path: Path
) -> None:
    archive = an_archive(tmp_path, an_envelope(0, answer=ANSWER, facts=FACTS))
    output = tmp_path / "out"
    assert backfill(archive, output, "--escalate", "local", "--scorer", scorer) == status
    decided = [(each["screen"]["checker"], each["check"]["checker"]) for each in records_in(output)]
    assert decided == ([] if status else [("local", "local+small")])
