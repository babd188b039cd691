"""What happened to an answer on its way: changes to a message before it is written."""

from tests.support.samples.messages import Edit, Json

NO_SUMMARY = "A summary could not be generated for your search query. Here are some search results."


def changed(**fields: object) -> Edit:
    """Set fields of the message."""
    return lambda message: message.update(fields)


def without(*names: str) -> Edit:
    """Leave fields out of the message."""

    def leave_out(message: Json) -> None:
        for name in names:
            message.pop(name, None)

    return leave_out


def skipped(*reasons: str, text: str = NO_SUMMARY) -> Edit:
    """Skip an Answer: it succeeds with boilerplate text, which no source is cited for."""
    return changed(
        answerText=text,
        answerSkippedReasons=list(reasons),
        citations=[],
        groundingSupports=[],
        relatedQuestions=[],
    )


def adversarial(message: Json) -> None:
    """Skip an Answer whose question was classified as adversarial."""
    skipped("ADVERSARIAL_QUERY_IGNORED")(message)
    message["queryUnderstandingInfo"] = {
        "queryClassificationInfo": [{"type": "ADVERSARIAL_QUERY", "positive": True}]
    }


def rated(category: str, probability: str, *, blocked: bool = False) -> Edit:
    """Give an Answer or a Candidate one safety rating."""
    rating = {"category": f"HARM_CATEGORY_{category}", "probability": probability}
    return changed(safetyRatings=[rating | {"blocked": blocked}])


def begun(state: str) -> Edit:
    """Show an Answer in the middle of being written, before anything was cited."""
    return changed(
        state=state, answerText="Your question is about", citations=[], groundingSupports=[]
    )


def wordless(candidate: Json) -> None:
    """Show a Candidate before its first word."""
    without("content", "finishReason", "groundingMetadata")(candidate)


def finished(reason: str, *, with_text: bool = False) -> Edit:
    """End a Candidate for a reason other than having said all."""

    def finish(candidate: Json) -> None:
        candidate["finishReason"] = reason
        if not with_text:
            without("content", "groundingMetadata", "groundingAttributions")(candidate)

    return finish


def in_candidate(edit: Edit) -> Edit:
    """Apply an edit to the Candidate inside a response of either kind."""

    def apply(response: Json) -> None:
        candidates = response.get("candidates", [response.get("answer")])
        edit(candidates[0])

    return apply


def blocked_prompt(field: str, reason: str) -> Edit:
    """Refuse the prompt: a response with feedback and nothing else."""

    def block(response: Json) -> None:
        response.clear()
        response[field] = {"blockReason": reason}

    return block


def with_second_candidate(response: Json) -> None:
    """Add a candidate that nobody was shown."""
    other = {"content": {"parts": [{"text": "I would rather talk about radiators."}]}, "index": 1}
    response["candidates"] = [*response["candidates"], other | {"finishReason": "STOP"}]


def with_a_thought(candidate: Json) -> None:
    """Put a thought of the model before what it said."""
    content = candidate["content"]
    thought = {"text": "The user sounds cold. Check the schedule article.", "thought": True}
    content["parts"] = [thought, *content["parts"]]
    for support in candidate["groundingMetadata"]["groundingSupports"]:
        support["segment"]["partIndex"] = 1


def found_twice(message: Json) -> None:
    """Let the search return the best passage of an Answer a second time."""
    message["references"] = [*message["references"], message["references"][0]]


def cites_the_wrong_passage(message: Json) -> None:
    """Let every citation of an Answer point at its last reference, which is about another thing."""
    last = str(len(message["references"]) - 1)
    for citation in message["citations"]:
        citation["sources"] = [{"referenceId": last}]


def cites_past_the_end(message: Json) -> None:
    """Let the last citation of an Answer end behind the answer."""
    message["citations"][-1]["endIndex"] = 4_000


def with_a_picture(message: Json) -> None:
    """Attach the picture that a passage showed, as v1beta does."""
    picture = {"mimeType": "image/gif", "data": "R0lGODlhAQABAAAAACwAAAAAAQABAAA="}
    message["blobAttachments"] = [{"data": picture, "attributionType": "CORPUS"}]


def from_the_future(message: Json) -> None:
    """Add fields that no published version of Answer has."""
    message["answerMood"] = {"name": "CHEERFUL", "score": 0.83}
