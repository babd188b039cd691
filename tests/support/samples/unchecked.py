"""Answers that no check can judge: unscorable, unfinished, failed."""

from functools import partial

from tests.support.samples import discovery, envelopes, gemini, streaming
from tests.support.samples.cases import Case, about
from tests.support.samples.edits import begun, changed, finished, in_candidate, without, wordless
from tests.support.samples.gemini import searched_the_web

UNSCORABLE = [
    # Nothing was said.
    Case(about("boost"), partial(discovery.v1, edit=changed(answerText="", citations=[]))),
    Case(about("boost"), partial(envelopes.full, edit=changed(answer=" \n "))),
    # Nothing was given to answer from.
    Case(about("voice"), partial(envelopes.plain, edit=without("facts"))),
    Case(about("voice"), partial(gemini.candidate, edit=searched_the_web)),
    Case(
        about("voice"),
        partial(gemini.bare_response, edit=in_candidate(without("groundingAttributions"))),
    ),
    # Nothing was claimed.
    Case(about("meet-quillow", "hi", "Hello! Thanks for writing to us."), discovery.v1),
    Case(
        about("voice", "thank you", "Let me know if I can help with anything else!"), envelopes.full
    ),
    Case(about("hub-lights", "it blinks", "Which colour is the light on your Hub?"), gemini.inline),
]

INCOMPLETE = [
    Case(about("monthly-report"), partial(discovery.v1beta, edit=begun("STREAMING"))),
    Case(about("standby-hunt"), streaming.only_deltas),
    Case(about("ar-returns"), streaming.only_deltas),
    Case(about("privacy"), partial(gemini.content_response, edit=in_candidate(wordless))),
]

FAILED = [
    Case(
        about("holiday-mode"),
        partial(
            discovery.v1, edit=changed(state="FAILED", answerText="", citations=[], references=[])
        ),
    ),
    Case(about("hunch"), streaming.interrupted),
    Case(about("dial-batteries"), partial(gemini.inline, edit=in_candidate(finished("OTHER")))),
]
