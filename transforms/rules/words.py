"""Words that carry no evidence, and words that stand for numbers. English only."""

# ruff: noqa: SIM905 - a table of words reads best as text

STOP_WORDS = frozenset(
    """
    a an the this that these those some any each every all both either such other another
    same own many much more most few several

    i you he she it we they me him her us them my your his its our their mine myself
    yourself himself herself itself ourselves themselves who whom whose which what one

    am is are was were be been being have has had having do does did done can could may
    might must shall should will would

    of in on at by for with from to into onto about as than then and or but if so because
    while when where why how though although until between through during there here also
    only just very too out up no not nor without

    i'm you're they're we're i've can't cannot don't doesn't didn't isn't aren't wasn't
    won't

    however therefore thus overall additionally moreover furthermore

    passage passages text article context document documents source sources information
    summary state states stated mention mentions mentioned provided given based according
    include includes included including
    """.split()
)
"""173 words that say nothing about the world: function words, pronouns, auxiliaries,
contractions, words that join sentences and talk about the sources. Negation is among them: it
carries no weight."""

NUMBER_WORDS = {
    "zero": "0",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
    "dozen": "12",
    "half": "0.5",
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "twice": "2",
}
"""What a number word is written as; without "one", which is a pronoun more often than not."""
