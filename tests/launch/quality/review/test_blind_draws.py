"""Drawn answers are labelled without their verdict, and chosen labels are no sample."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate.strata import Stratum
from groundwatch.launch.quality.review.answer_index import AnswerIndex
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import a_fact, a_screen, an_enriched
from tests.support.reports import a_low, write_enriched
from tests.support.reviews import labels_in, served

DRAWN = "d" * 64
FACTS = (a_fact("Cups sing."), a_fact("Lamps glow brightly. Kettles do not vote."))
OTHERS = (
    *(a_low(record_id=each * 64, facts=FACTS) for each in "ab"),
    *(an_enriched(record_id=each * 64, tags=("UNSUPPORTED_CLAIM",)) for each in "ce"),
)


def the_drawn(*, is_low: bool) -> EnrichedAnswer:
    """The same answer, as two checkers may have judged it."""
    low = a_low(
        record_id=DRAWN,
        facts=FACTS,
        mismatches=(
            Contradiction(claim=1, kind="NEGATION", claim_value="vote", fact_value="not", fact=1),
        ),
        screen=a_screen(),
    )
    if is_low:
        return low
    claims = (replace(low.claims[0], score=0.7), replace(low.claims[1], score=0.95, citations=(0,)))
    return replace(
        low,
        verdict="GROUNDED",
        verdict_reason="ABOVE_THRESHOLDS",
        support_score=0.95,
        min_claim_score=0.7,
        claims=claims,
        tags=(),
        mismatches=(),
        screen=None,
    )


class Client:
    """A person's browser, which follows no redirect by itself."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._origin = re.sub(r"/[^/]+/$", "", address)

    def get(self, path: str) -> str:
        """A page, as it is whatever the address of the review."""
        page = httpx.get(self.address + path)
        assert page.status_code == 200, page.text
        return page.text.replace(self.address.rpartition("/")[0].removeprefix(self._origin), "")

    def draw(self) -> str:
        """Where a draw leads, below the address."""
        answer = httpx.get(f"{self.address}draw")
        return answer.headers["Location"].split("/", 2)[2] if answer.status_code == 303 else ""

    def post(self, action: str, **form: str) -> str:
        """Change something; return where it leads."""
        headers = {"Origin": self._origin}
        answer = httpx.post(self.address + action, data=form, headers=headers)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["Location"]).split("/", 2)[2]


def label(client: Client, record_id: str, word: str = "supported", **form: str) -> str:
    return client.post("label", record_id=record_id, label=word, **form)


def test_what_a_drawn_answer_shows_does_not_depend_on_its_verdict(tmp_path: Path) -> None:
    """Two folders that differ in what the check has found give the same pages, byte for byte."""
    seen = []
    for is_low in (True, False):
        folder = tmp_path / str(is_low) / "out"
        write_enriched(folder, [*OTHERS, the_drawn(is_low=is_low)])
        with served(folder, "--record_url", "https://viewer.example/{record_id}") as address:
            client = Client(address)
            for each in OTHERS:
                label(client, each.record_id)
            drawn = client.draw()
            assert DRAWN in drawn
            lists = ("", "?order=newest", "?verdict=LOW_GROUNDED", "?verdict=GROUNDED", "?to=0.5")
            pages = [drawn, f"{drawn}&claim=2", f"record/{DRAWN}", f"record/{'a' * 64}", *lists]
            found = [drawn, *(client.get(each) for each in pages)]
            title = str(folder)
            seen.append([each.replace(title, "") for each in found])
            # Once the person has labelled it, everything is shown.
            assert "Low-grounded" not in found[1]
            assert DRAWN not in found[5]
            label(client, DRAWN, "unsure")
            shown = client.get(f"record/{DRAWN}")
            assert ("Low-grounded" in shown) == is_low
            assert "tint-" in shown
            assert DRAWN in client.get("")
    for one, other in zip(*seen, strict=True):
        assert one == other


def test_the_label_of_another_person_does_not_end_a_blind_page(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [the_drawn(is_low=True)])
    with served(folder) as address, served(folder, "--labeller", "bob") as other:
        client = Client(address)
        drawn = client.draw()
        label(Client(other), DRAWN, "unsupported")
        page = client.get(drawn)
        assert "Low-grounded" not in page
        assert 'aria-pressed="true"' not in page.partition("<main>")[2]
        label(client, DRAWN)
        assert "Low-grounded" in client.get(drawn)
    assert [each["labeller"] for each in labels_in(folder)] == ["bob", "ada"]


def test_the_claims_of_a_drawn_answer_are_all_labelled_blind(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [the_drawn(is_low=True)])
    with served(folder) as address:
        client = Client(address)
        client.draw()
        following = label(client, DRAWN, "unsupported", claim="1", sample="drawn")
        assert "Low-grounded" not in client.get(following)
        following = label(client, DRAWN, "supported", claim="2", sample="drawn")
        assert "Low-grounded" in client.get(following)


def test_an_answer_that_was_labelled_is_not_drawn_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [a_low(record_id=f"{n:064x}") for n in range(6)])
    chosen = [f"{n:064x}" for n in range(3)]
    drawn: list[str] = []
    for number in range(3):
        with served(folder) as address:  # and after each restart
            client = Client(address)
            if not number:
                for each in chosen:
                    label(client, each)
            drawn.append(re.findall(r"record/(\w+)", client.draw())[0])
            label(client, drawn[-1], sample="drawn")
            if number == 2:
                assert client.draw() == ""
    assert sorted([*chosen, *drawn]) == [f"{n:064x}" for n in range(6)]
    assert [each["sample"] for each in labels_in(folder)] == [*[None] * 3, *["flagged"] * 3]


def test_a_drawn_answer_stays_a_sample_when_its_label_changes(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [a_low(record_id=f"{n:064x}") for n in range(2)])
    with served(folder) as address:
        client = Client(address)
        drawn = re.findall(r"record/(\w+)", client.draw())[0]
        label(client, drawn, sample="drawn")
        label(client, drawn, "unsupported")
        client.post("undo")
    assert [each["sample"] for each in labels_in(folder)] == ["flagged"] * 3


def test_a_chosen_answer_does_not_become_a_sample_when_its_label_is_taken_back(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [a_low(record_id=f"{n:064x}") for n in range(4)])
    with served(folder) as address:
        client = Client(address)
        waiting = re.findall(r"record/(\w+)", client.draw())[0]
        chosen = next(f"{n:064x}" for n in range(4) if f"{n:064x}" != waiting)
        label(client, chosen)
        client.draw()
        client.post("undo", sample="drawn")
        label(client, chosen, sample="drawn")
    assert [each["sample"] for each in labels_in(folder)] == [None] * 3


def test_labels_of_chosen_answers_are_no_recall(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    passed = [an_enriched(record_id=f"{n:064x}") for n in range(100, 140)]
    write_enriched(folder, [*(a_low(record_id=f"{n:064x}") for n in range(20)), *passed])
    with served(folder) as address:
        client = Client(address)
        for n in range(3):
            label(client, f"{n:064x}", "unsupported")
        page = client.get("labels?goal=recall&value=0.8")
    tiles = re.findall(r"<dd>(.*?)</dd>", page)
    assert tiles == ["—", "—"]
    assert "unknown: draw answers at random" in page
    assert "0 are in the estimate" in page


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> AnswerIndex:
    """An index of 60 flagged answers and 10 others."""
    folder = tmp_path_factory.mktemp("answers")
    answers = [a_low(record_id=f"{n:064x}") for n in range(60)]
    write_enriched(folder, [*answers, *(an_enriched(record_id=f"{n:064x}") for n in range(60, 70))])
    made = AnswerIndex({str(folder): Thresholds()}, folder / "cache")
    made.add_new_files()
    return made


def choose_all(wrong: set[str], fine: set[str]) -> set[str]:
    """People look for what is unsupported, and find most of it."""
    return set(sorted(wrong)[::2]) | set(sorted(fine)[::10])


def choose_none(*_: set[str]) -> set[str]:
    """People only draw."""
    return set()


@pytest.mark.parametrize("choose", [choose_all, choose_none])
@pytest.mark.parametrize("before", [0, 6])
def test_chosen_labels_leave_the_estimate_unbiased(
    index: AnswerIndex, choose: Callable[[set[str], set[str]], set[str]], before: int
) -> None:
    """Whether people choose answers before they draw, or in between."""
    chance = random.Random(3)  # noqa: S311 - the same each time
    ids = [f"{n:064x}" for n in range(60)]
    shares = []
    for _ in range(200):
        wrong = set(chance.sample(ids, 20))
        labelled: dict[str, Any] = {}

        def give(record_id: str, sample: str | None, wrong: set[str] = wrong) -> None:
            index.set_label(record_id, "unsupported" if record_id in wrong else "supported", sample)

        for number in range(12):
            if number == before:
                for each in choose(wrong, set(ids) - wrong) - labelled.keys():
                    labelled[each] = give(each, None)
            drawn = index.waiting()[Stratum.FLAGGED]
            labelled[drawn] = give(drawn, "flagged")
        sample = index.samples()[Stratum.FLAGGED]
        shares.append(sample.unsupported / sample.labelled)
        for each in labelled:
            index.set_label(each, None, None)
    assert mean(shares) == pytest.approx(1 / 3, abs=0.02)


def test_all_labels_of_a_stratum_are_its_sample_however_they_came(index: AnswerIndex) -> None:
    for n in range(60, 70):
        index.set_label(f"{n:064x}", "supported", None)
    assert index.samples()[Stratum.OTHER] == (10, 10, 0)
    index.set_label(f"{60:064x}", None, None)
    assert index.samples()[Stratum.OTHER] == (10, 0, 0)
    for n in range(60, 70):
        index.set_label(f"{n:064x}", None, None)
