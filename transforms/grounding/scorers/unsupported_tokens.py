"""Score claims by a model that finds the unsupported tokens of an answer."""

import heapq
from collections.abc import Iterator, Sequence
from itertools import accumulate

from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of
from groundwatch.transforms.lexical.language.words import content_of
from groundwatch.transforms.lexical.reading.answer_sentences import Sentence
from groundwatch.transforms.lexical.scores.claim_result import (
    ClaimResult,
    ScoredAnswer,
    bounded_log_odds,
)
from .model_files import CONFIG
from .onnx_model import OnnxModel, TextPair

_UNSUPPORTED = frozenset({"hallucinated", "hallucination", "unsupported", "not_supported"})
_MAX_TOKENS = 4_096
"""Of facts and answer together: the length that LettuceDetect's models are trained with.

Source: https://arxiv.org/abs/2502.17125
"""

_MAX_QUESTION_TOKENS = 64
_BATCH_TOKENS = 8_192
_MAX_CHUNKS = 8
"""Of the facts; those that share most words with the answer are read."""

_ANSWER_TOKEN = 1
"""The sequence of a pair that is the answer; the facts are the sequence 0."""

_Passage = tuple[int, str]
"""A fact's number, and its text or one of its sentences."""

_Chunk = Sequence[_Passage]
_ScoredSpan = tuple[int, int, float]
"""Where a token begins and ends, and the probability, 0..1, that it is unsupported."""


class UnsupportedTokens:
    """A token classifier, such as LettuceDetect's.

    The probability of a claim is 1 less the highest of its tokens. The answer is read with all
    facts at once, or with each chunk of them; then the best chunk counts for each claim.

    Args:
      model: scores tokens, and names one output for those that are not supported.

    Raises:
      Misconfigured: no output is named so.
    """

    def __init__(self, model: OnnxModel) -> None:
        named = [index for index, name in model.labels.items() if name.lower() in _UNSUPPORTED]
        if len(named) != 1 or model.outputs == 1:
            raise model.error(
                f"the model scores tokens, and of its {model.outputs} outputs"
                f" ({', '.join(model.labels.values()) or 'unnamed'}) one must be named hallucinated"
                f" or unsupported, in id2label of {CONFIG}"
            )
        self._model, [self._label] = model, named
        self._max_tokens = min(model.max_tokens, _MAX_TOKENS)
        model.truncate(self._max_tokens, "only_first")

    def score(
        self, answer: ScoredAnswer, facts: Sequence[str], threshold: float
    ) -> list[ClaimResult]:
        """Score claims of an answer; a fact is cited where it is the only one of its chunk."""
        results: list[ClaimResult] = []
        encoded = answer.text.encode()
        question = answer.question and self._shortened(answer.question, _MAX_QUESTION_TOKENS)
        prompt = self._model.first_text("", question)
        for part in self._parts(encoded, answer.claims):
            start = part[0].start_byte
            text = encoded[start : part[-1].end_byte].decode()
            text = self._shortened(text, self._max_tokens // 2)
            chunks = self._chunks(text, facts, prompt)
            passages = ("\n".join(passage for _, passage in chunk) for chunk in chunks)
            found = self._find(
                [(self._model.first_text(passage, question), text) for passage in passages]
            )
            spans = [list(_in_bytes(text, start, tokens)) for tokens in found]
            results += (_result(claim, chunks, spans, threshold) for claim in part)
        return results

    def _parts(self, answer: bytes, claims: Sequence[Sentence]) -> Iterator[list[Sentence]]:
        """Split the answer at sentences, so that the facts have at least half of the tokens."""
        part: list[Sentence] = []
        for claim in claims:
            if part:
                text = answer[part[0].start_byte : claim.end_byte].decode()
                if len(self._model.encode(text)) > self._max_tokens // 2:
                    yield part
                    part = []
            part.append(claim)
        if part:
            yield part

    def _shortened(self, text: str, max_tokens: int) -> str:
        offsets = self._model.encode(text).offsets
        return text if len(offsets) <= max_tokens else text[: offsets[max_tokens - 1][1]]

    def _chunks(self, text: str, facts: Sequence[str], prompt: str) -> list[_Chunk]:
        """Pack facts, and the sentences of facts that are too long, into the model's length."""
        used = len(self._model.encode(text)) + len(self._model.encode(prompt))
        room = self._max_tokens - used - 4  # special tokens
        chunks: list[list[_Passage]] = []
        left = 0
        for number, passage in self._passages(facts, room):
            tokens = len(self._model.encode(passage)) + 1  # the end of the line
            if tokens > left:
                chunks.append([])
                left = room
            chunks[-1].append((number, passage))
            left -= tokens
        if len(chunks) <= _MAX_CHUNKS:
            return list(chunks)
        content = content_of(text)
        return heapq.nlargest(_MAX_CHUNKS, chunks, key=lambda chunk: _shared(content, chunk))

    def _passages(self, facts: Sequence[str], room: int) -> Iterator[_Passage]:
        for number, fact in enumerate(facts):
            if len(self._model.encode(fact)) < room:
                yield number, fact
            else:
                yield from ((number, text) for text in sentences_of(fact).texts)

    def _find(self, pairs: Sequence[TextPair]) -> Iterator[list[_ScoredSpan]]:
        """Yield for each pair the tokens of the answer: their characters and probabilities."""
        batch = max(1, _BATCH_TOKENS // self._max_tokens)
        for start in range(0, len(pairs), batch):
            encoded, logits = self._model.run(pairs[start : start + batch])
            probabilities = self._model.probabilities(logits)[:, :, self._label]
            for each, of_pair in zip(encoded, probabilities, strict=True):
                places = zip(each.sequence_ids, each.offsets, of_pair, strict=True)
                yield [
                    (start, end, float(probability))
                    for sequence, (start, end), probability in places
                    if sequence == _ANSWER_TOKEN
                ]


def _in_bytes(text: str, first: int, tokens: Sequence[_ScoredSpan]) -> Iterator[_ScoredSpan]:
    places = list(accumulate((len(char.encode()) for char in text), initial=first))
    for start, end, probability in tokens:
        yield places[start], places[end], probability


def _result(
    claim: Sentence,
    chunks: Sequence[_Chunk],
    spans: Sequence[Sequence[_ScoredSpan]],
    threshold: float,
) -> ClaimResult:
    first, end = claim.start_byte, claim.end_byte
    supported = [
        1 - max((span[2] for span in of_chunk if span[0] < end and span[1] > first), default=1.0)
        for of_chunk in spans
    ]
    cited = set[int]()
    for chunk, probability in zip(chunks, supported, strict=True):
        numbers = {number for number, _ in chunk}
        if len(numbers) == 1 and probability >= threshold:
            cited |= numbers
    return ClaimResult(bounded_log_odds(max(supported, default=0.0)), sorted(cited))


def _shared(content: frozenset[str], chunk: _Chunk) -> int:
    text = "\n".join(passage for _, passage in chunk).lower()
    return sum(word in text for word in content)
