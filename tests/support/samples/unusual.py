"""Answers that are checked although something about them is out of the ordinary."""

from functools import partial

from tests.support.samples import discovery, envelopes, gemini, streaming
from tests.support.samples.cases import Case, about
from tests.support.samples.edits import (
    changed,
    cites_past_the_end,
    cites_the_wrong_passage,
    finished,
    found_twice,
    from_the_future,
    in_candidate,
    rated,
    with_a_picture,
    with_a_thought,
    with_second_candidate,
    without,
)

CHECKED = [
    Case(about("hub-lights"), partial(discovery.v1beta, edit=with_a_picture)),
    Case(about("resetting"), partial(discovery.v1beta_to_json, edit=with_a_picture)),
    Case(about("warranty"), partial(discovery.v1beta, edit=from_the_future)),
    Case(about("returns"), partial(discovery.v1, edit=cites_the_wrong_passage)),
    Case(about("de-heizplaene"), partial(discovery.v1beta_from_python, edit=found_twice)),
    Case(about("delivery"), partial(discovery.v1, edit=cites_past_the_end)),
    Case(
        about("plug"), partial(discovery.v1beta_to_dict, edit=rated("DANGEROUS_CONTENT", "MEDIUM"))
    ),
    Case(about("readings"), partial(discovery.v1, edit=without("state"))),
    Case(about("sharing"), partial(gemini.candidate, edit=finished("MAX_TOKENS", with_text=True))),
    Case(
        about("fr-garantie"), partial(gemini.candidate, edit=finished("LANGUAGE", with_text=True))
    ),
    Case(about("frost-guard"), partial(gemini.candidate, edit=without("finishReason"))),
    Case(about("schedules"), partial(gemini.candidate, edit=with_a_thought)),
    Case(about("boost"), partial(gemini.content_response, edit=with_second_candidate)),
    Case(about("solar"), partial(gemini.inline, edit=changed(answerableProbability=0.22))),
    Case(
        about("tariffs"),
        partial(gemini.retriever, edit=in_candidate(finished("MAX_TOKENS", with_text=True))),
    ),
    Case(about("export"), partial(envelopes.full, edit=changed(time="last Tuesday, after lunch"))),
    Case(about("ja-battery"), streaming.broken_after_the_answer),
]
