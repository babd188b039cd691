"""Which revisions of the checkers the records are of."""

from groundwatch.launch.results.report.counts.revisions import Revisions
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from tests.support.builders import a_check, a_screen, an_enriched
from tests.support.reports import row_of


def an_answer(checker: str, revision: str | None) -> EnrichedAnswer:
    return an_enriched(check=a_check(checker=checker, revision=revision))


def revisions_of(*answers: EnrichedAnswer) -> Revisions:
    revisions = Revisions()
    for answer in answers:
        revisions.add(row_of(answer))
    return revisions


def test_decided_and_screened_answers_are_counted_by_revision() -> None:
    judged = an_enriched(check=a_check(checker="judge", revision="m-1"), screen=a_screen())
    passed = an_enriched(check=a_check(revision="words-1"), screen=a_screen())
    found = revisions_of(judged, passed, passed, an_enriched(check=None))
    assert found.counts() == [("local", "words-1", 2, 3), ("judge", "m-1", 1, 0)]
    assert found.mixed() == []


def test_a_revision_that_is_not_stated_is_another_one() -> None:
    found = revisions_of(an_answer("local", None), an_answer("local", "words-1"))
    assert found.mixed() == ["local"]


def test_revisions_beyond_a_hundred_count_as_others() -> None:
    found = revisions_of(*(an_answer("judge", f"m-{number}") for number in range(150)))
    assert len(found.counts()) == 101
    assert sum(each.decided for each in found.counts()) == 150
