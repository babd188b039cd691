"""Pairs of common English words with opposite meanings."""

from transforms.contradictions.tokenized_text import form_of

# A form is the start of a word. A pair is left out if a form also begins an unrelated word, as
# "direct" begins "director" and "import" begins "important".
_PAIRS = """
    high low, higher lower, highest lowest, large small, larger smaller, largest smallest,
    big small, bigger smaller, long short, longer shorter, tall short, old new, old young,
    older younger, early late, earlier later, strong weak, stronger weaker, fast slow,
    faster slower, hot cold, warm cool, wet dry, hard soft, hard easy, easy difficult, thick thin,
    deep shallow, wide narrow, heavy light, dark light, black white, good bad, better worse,
    best worst, rich poor, cheap expensive, clean dirty, full empty, sweet bitter, raw cooked,
    safe dangerous, legal illegal, public private, major minor, maximum minimum, common rare,
    simple complex, ancient modern, natural artificial, permanent temporary, domestic foreign,
    rural urban, positive negative, active inactive, alive dead, male female, man woman, men women,
    mother father, brother sister, husband wife, north south, northern southern, east west,
    eastern western, top bottom, upper lower, above below, inside outside, before after, day night,
    morning evening, summer winter, open closed, opened closed, increase decrease,
    increase reduce, rise fall, rose fell, raise lower, gain lose, win lose, won lost, begin end,
    began ended, start end, buy sell, accept reject, allow forbid, allow prohibit, add remove,
    born died, birth death, succeed fail
"""


def _antonyms() -> dict[str, frozenset[str]]:
    antonyms: dict[str, frozenset[str]] = {}
    for pair in " ".join(_PAIRS.split()).split(", "):
        one, other = map(form_of, pair.split())
        antonyms[one] = antonyms.get(one, frozenset()) | {other}
        antonyms[other] = antonyms.get(other, frozenset()) | {one}
    return antonyms


ANTONYMS = _antonyms()
"""By the form of a word, the forms of its opposites."""
