"""docs/embedded_checker.md says what is recognized in which language."""

from collections import Counter

from tests.support.languages_table import LANGUAGES, sentences, table
from tests.support.repository import ROOT

PAGE = ROOT.joinpath("docs/embedded_checker.md").read_text(encoding="utf-8")


def test_the_table_is_what_the_sentences_make() -> None:
    printed = PAGE.partition("languages_table -->\n")[2].partition("\n<!-- end")[0]
    assert printed.splitlines() == list(table())


def test_each_language_has_twenty_facts_and_each_form() -> None:
    for language in LANGUAGES:
        forms = Counter(sentence.form for sentence in sentences(language))
        assert forms["identical"] >= 20
        assert min(forms.values()) >= 5
        assert len(forms) == 8
