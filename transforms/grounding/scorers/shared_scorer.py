"""Share a loaded model, and what it made of an answer, among the checks of a process."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cache, partial
from hashlib import blake2b
from threading import Lock
from weakref import WeakValueDictionary

import msgspec

from groundwatch.transforms.grounding.settings import SMALL
from groundwatch.transforms.lexical.scores.claim_result import (
    ClaimResult,
    ScoreClaims,
    ScoredAnswer,
)
from .entailment import EntailmentModel
from .model_files import find_model, require_modules
from .onnx_model import NOT_CALIBRATED, Calibration, OnnxModel, calibration_of
from .unsupported_tokens import UnsupportedTokens

_MOST_KEPT = 256
"""Answers whose results are kept; checks with several weights are that close to each other."""

_MOST_FACTS, _MOST_OF_A_FACT = 8, 400

_encode = msgspec.msgpack.Encoder().encode


class SharedScorer:
    """A scorer that scores an answer once, however many checks ask for it, also at a time.

    Args:
      score: scores the claims of an answer.
      revision: of its model.
      calibration: how its log odds are used.
    """

    def __init__(
        self, score: ScoreClaims, revision: str, calibration: Calibration = NOT_CALIBRATED
    ) -> None:
        self.revision = revision
        self.calibration = calibration
        self._score = score
        self._lock = Lock()
        self._found: OrderedDict[bytes, Future[list[ClaimResult] | None]] = OrderedDict()

    def score(
        self, answer: ScoredAnswer, facts: Sequence[str], threshold: float
    ) -> list[ClaimResult] | None:
        """Score claims, or wait for another thread that does; raise what the scorer raises."""
        key = blake2b(_encode((answer, facts, threshold))).digest()
        with self._lock:
            found = self._found.get(key)
            is_first = found is None
            if found is None:
                found = self._found[key] = Future()
                if len(self._found) > _MOST_KEPT:
                    self._found.popitem(last=False)
        if is_first:
            try:
                found.set_result(self._score(answer, facts, threshold))
            except BaseException as error:
                with self._lock:
                    self._found.pop(key, None)
                found.set_exception(error)
                raise
        return found.result()


_loaded: WeakValueDictionary[tuple[str, int], SharedScorer] = WeakValueDictionary()
_loading = Lock()


def load_scorer(name: str) -> SharedScorer:
    """Load the model of a folder or of the Hub, unless a check of this process has it.

    The model that comes with groundwatch is loaded when a claim is uncertain for the first time.

    Raises:
      Misconfigured: there is no such model, or no output has the name that is needed.
    """
    if name == SMALL:
        require_modules()
        return _small_scorer()
    with _loading:
        files = find_model(name)
        key = (name, files.model.stat().st_mtime_ns if files.model.is_file() else 0)
        scorer = _loaded.get(key)
        if scorer is None:
            model = OnnxModel(files)
            scorer = SharedScorer(score_by(model), model.revision, model.calibration)
            _loaded[key] = scorer
    return scorer


@cache
def _small_scorer() -> SharedScorer:
    files = find_model(SMALL)
    load = cache(lambda: score_by(OnnxModel(files)))

    def score(
        answer: ScoredAnswer, facts: Sequence[str], threshold: float
    ) -> list[ClaimResult] | None:
        with _loading:
            loaded = load()
        return loaded(answer, facts, threshold)

    return SharedScorer(score, str(files.revision), calibration_of(files.folder))


def score_by(model: OnnxModel) -> ScoreClaims:
    """Score claims by a model: a classifier of pairs of texts, or of their tokens.

    Raises:
      Misconfigured: no output of it has the name that is needed.
    """
    score = (UnsupportedTokens if model.scores_tokens else EntailmentModel)(model).score
    return partial(_score_if_read, model, score)


def _score_if_read(
    model: OnnxModel,
    score: Callable[[ScoredAnswer, Sequence[str], float], list[ClaimResult]],
    answer: ScoredAnswer,
    facts: Sequence[str],
    threshold: float,
) -> list[ClaimResult] | None:
    """Score claims, unless the answer or its facts are in a language that the model does not read.

    The beginnings of some facts are enough to see their language.
    """
    texts = [answer.text, *(fact[:_MOST_OF_A_FACT] for fact in facts[:_MOST_FACTS])]
    return score(answer, facts, threshold) if model.reads(" ".join(texts)) else None
