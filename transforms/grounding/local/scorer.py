"""Load the scorer of claims that fits a model's kind."""

from transforms.grounding.local.entailment import EntailmentModel
from transforms.grounding.local.onnx_model import OnnxModel
from transforms.grounding.local.unsupported_tokens import UnsupportedTokens
from transforms.lexical.claim_result import ScoreClaims
from transforms.runtime.waiting import waiting_for


def load_scorer(folder: str) -> ScoreClaims:
    """Load a classifier of pairs of texts, or of their tokens.

    Raises:
      Misconfigured: the folder holds no such model, or no output has the name that is needed.
    """
    with waiting_for(f"the model in {folder}"):
        model = OnnxModel(folder)
    return (UnsupportedTokens if model.scores_tokens else EntailmentModel)(model).score
