"""Kinds of values: how a text is parsed, its range, and the pattern of a template parameter."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from schemas import Record
from schemas.verdict import Verdict
from transforms.grounding.local.entailment import MODEL, TOKENIZER
from transforms.grounding.settings import DISCOVERY_ENGINE, LOCAL
from transforms.rules.verdicts import FINDINGS, PRECEDENCE

_MOST = 1e300
_HIGHEST_PORT = 65_535
_LONGEST = 40
_FRACTION = r"(0|1|1[.]0+|0?[.][0-9]+|[0-9]([.][0-9]+)?e-[0-9]+)"
_NUMBER = r"[0-9]+([.][0-9]+)?(e-?[0-9]+)?"
_PART = r"[^/?#\s]+"
_ADDRESS = r"https?://[^/?#@\s]+/?"
_RUN_ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_CONFIG_NAME = rf"projects/{_PART}/locations/{_PART}/groundingConfigs/{_PART}"
_PUBSUB_PROJECT = r"projects/[a-z][-a-z0-9:.]{4,61}[a-z0-9]"
_LABEL_KEY = r"[a-z][a-z0-9_-]{0,62}"
_LABEL_VALUE = r"[a-z0-9_-]{0,63}"
_HOST_AND_PORT = re.compile(r"(?:(?P<host>[^:\s]+|\[[^\]\s]+\]):)?(?P<port>\d{1,5})", re.ASCII)


class Kind(Record, frozen=True, kw_only=True):
    """One kind of value.

    Attributes:
      parse: turns a text into the value, or raises ValueError with what it must be.
      placeholder: stands for the value in the help.
      range: the values that it accepts, for the documentation.
      unit: of a number, such as ``seconds``.
      parameter_type: of Dataflow's `ParameterType`, where a template has such a parameter.
      pattern: a regular expression, in the syntax that Java and Python share, that a template's
        parameter must match. It may accept more than `parse` does.
      choices: lists the accepted words, where there are few.
    """

    parse: Callable[[str], object]
    placeholder: str = "TEXT"
    range: str = ""
    unit: str = ""
    parameter_type: str = "TEXT"
    pattern: str = r"[\s\S]*\S[\s\S]*"
    choices: Callable[[], Sequence[str]] | None = None


def parse_text(text: str) -> str:
    """Accept any text that is not blank."""
    if not text.strip():
        raise ValueError("must not be empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be UTF-8") from None
    return text


def parse_location(text: str) -> str:
    """Accept a path or glob, on this machine or in a bucket."""
    scheme, colon, name = parse_text(text).partition("://")
    if colon and scheme != "gs":
        raise ValueError("must be a local path, or begin with gs://")
    if colon and not name.partition("/")[0]:
        raise ValueError("must name a bucket after gs://")
    return text


def parse_switch(text: str) -> bool:
    """Read true or false."""
    if text.lower() not in {"true", "false"}:
        raise ValueError("must be true or false")
    return text.lower() == "true"


def choice_of(choices: Sequence[str], name: str) -> Kind:
    """Describe one of a few words; an enum's members are parsed to members.

    Args:
      choices: the words.
      name: stands for them where they are many.
    """
    words = "|".join(choices)
    return _lazy_choice(lambda: choices, words if len(words) <= _LONGEST else name)


def _lazy_choice(choices: Callable[[], Sequence[str]], placeholder: str) -> Kind:
    return Kind(
        parse=lambda text: _one_of(choices(), text),
        placeholder=placeholder,
        parameter_type="ENUM",
        choices=choices,
    )


def _one_of(choices: Sequence[str], text: str) -> str:
    if text not in choices:
        raise ValueError(f"must be one of {', '.join(choices)}")
    return choices[choices.index(text)]


def _number(  # noqa: PLR0917 - a row of a table
    range_: str, least: float, pattern: str, unit: str = "", most: float = _MOST, above: float = -1
) -> Kind:
    def parse(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1
        # The comparison is also False for NaN.
        if not (least <= number <= most and number > above):
            raise ValueError(f"must be a number {range_}")
        return number

    return Kind(
        parse=parse,
        placeholder=_PLACEHOLDERS.get(unit, "NUMBER"),
        range=range_,
        unit=unit,
        parameter_type="NUMBER",
        pattern=pattern,
    )


def _whole(least: int, pattern: str, unit: str = "", most: int | None = None) -> Kind:
    range_ = f"from {least}" if most is None else f"from {least} to {most}"

    def parse(text: str) -> int:
        is_whole = text.isascii() and text.isdigit()
        if not is_whole or int(text) < least or (most is not None and int(text) > most):
            raise ValueError(f"must be a whole number {range_}")
        return int(text)

    return Kind(
        parse=parse,
        placeholder=_PLACEHOLDERS.get(unit, "N"),
        range=range_,
        unit=unit,
        parameter_type="NUMBER",
        pattern=pattern,
    )


def _matching(
    pattern: str,
    complaint: str,
    placeholder: str,
    parameter_type: str = "TEXT",
    parameter_pattern: str = "",
) -> Kind:
    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must {complaint}")
        return text

    return Kind(
        parse=parse,
        placeholder=placeholder,
        parameter_type=parameter_type,
        pattern=parameter_pattern or pattern,
    )


def _parse_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError("must have the form NAME=VALUE")
    return name, value


def _parse_label(text: str) -> tuple[str, str]:
    key, value = _parse_pair(text)
    if not (re.fullmatch(_LABEL_KEY, key) and re.fullmatch(_LABEL_VALUE, value)):
        raise ValueError(
            "must be KEY=VALUE of lower-case letters, digits, - and _, at most 63 each,"
            " the key beginning with a letter"
        )
    return key, value


def _parse_moved_reason(text: str) -> tuple[str, Verdict]:
    reason, verdict = _parse_pair(text)
    if reason in FINDINGS:
        raise ValueError(f"{reason} is a reason of groundwatch; move one that a generator gives")
    return reason, Verdict(_one_of(PRECEDENCE, verdict))


def _parse_sample(text: str) -> tuple[str | None, float]:
    engine, equals, rate = text.rpartition("=")
    if equals and not engine:
        raise ValueError("must have the form RATE or ENGINE=RATE")
    return engine or None, _parse_fraction(rate)


def _parse_fraction_or_none(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return _parse_fraction(text)
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def _parse_fraction(text: str) -> float:
    number = FRACTION.parse(text)
    assert isinstance(number, float)  # noqa: S101 - for the type checker
    return number


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # brackets that do not match, or an invalid port
        return False
    return port != 0 and bool(re.fullmatch(_ADDRESS, text)) and bool(parts.hostname)


def _parse_proxy(text: str) -> str:
    if not _is_address(text):
        raise ValueError("must be an address such as http://proxy:3128")
    return text


def _parse_checker(text: str) -> str:
    if text not in {LOCAL, DISCOVERY_ENGINE} and not _is_address(text):
        raise ValueError("must be local, discoveryengine, or an address: http://127.0.0.1:8080")
    return text.rstrip("/")


def _parse_model_folder(text: str) -> str:
    missing = [name for name in (MODEL, TOKENIZER) if not (Path(text) / name).is_file()]
    if missing:
        raise ValueError(f"must be a folder that holds {' and '.join(missing)}")
    return text


def _parse_local_folder(text: str) -> str:
    if "://" in parse_location(text):
        raise ValueError("must be a folder of this machine")
    return text


def _parse_local_file(text: str) -> str:
    if not Path(text).is_file():
        raise ValueError("must be a file of this machine")
    return text


def _parse_listening_address(text: str) -> tuple[str, int]:
    found = _HOST_AND_PORT.fullmatch(text)
    if not found or int(found["port"]) > _HIGHEST_PORT:
        raise ValueError("must have the form HOST:PORT, or be a port; port 0 takes a free one")
    return (found["host"] or "127.0.0.1").strip("[]"), int(found["port"])


def _format_names() -> Sequence[str]:
    # The formats import all wire types, which the help should not wait for.
    from transforms.formats.format_table import format_names  # noqa: PLC0415

    return format_names()


_PLACEHOLDERS = {"seconds": "SECONDS", "hours": "HOURS", "milliseconds": "MS", "megabytes": "MB"}
FRACTION = _number("from 0 to 1", 0, _FRACTION, most=1)
_POSITIVE = "above 0"
_WHOLE_PATTERN = "0*[1-9][0-9]*"

Text = Annotated[str, Kind(parse=parse_text)]
Switch = Annotated[
    bool,
    Kind(
        parse=parse_switch,
        placeholder="",
        parameter_type="BOOLEAN",
        pattern="(true|false|True|False)",
    ),
]
Fraction = Annotated[float, FRACTION]
Share = Annotated[float, _number("above 0, at most 1", 1e-6, _FRACTION, most=1)]
FractionOrNone = Annotated[
    float | None,
    Kind(
        parse=_parse_fraction_or_none,
        placeholder="NUMBER|none",
        range="from 0 to 1, or none",
        pattern=rf"({_FRACTION}|[nN][oO][nN][eE])",
    ),
]
Positive = Annotated[float, _number(_POSITIVE, 0, _NUMBER, above=0)]
Seconds = Annotated[float, _number(_POSITIVE, 0, _NUMBER, "seconds", above=0)]
Milliseconds = Annotated[float, _number(_POSITIVE, 0, _NUMBER, "milliseconds", above=0)]
Hours = Annotated[float, _number(_POSITIVE, 0, _NUMBER, "hours", above=0)]
Count = Annotated[int, _whole(1, _WHOLE_PATTERN)]
Megabytes = Annotated[int, _whole(1, _WHOLE_PATTERN, "megabytes")]
MegabytesOrNone = Annotated[int, _whole(0, "[0-9]+", "megabytes")]
Port = Annotated[int, _whole(0, "[0-9]+", most=_HIGHEST_PORT)]
Location = Annotated[
    str,
    Kind(parse=parse_location, placeholder="PATH", pattern=r"(gs://[^/\s]+/\S+|[^:\s]+)"),
]
Archive = Annotated[
    str, Kind(parse=parse_location, placeholder="PATH", pattern=r"gs://[^/\s]+/\S+")
]
OutputFolder = Annotated[
    str,
    Kind(
        parse=parse_location,
        placeholder="FOLDER",
        parameter_type="GCS_WRITE_FOLDER",
        pattern=r"gs://[^/\s]+/\S+",
    ),
]
LocalFolder = Annotated[str, Kind(parse=_parse_local_folder, placeholder="FOLDER")]
LocalFile = Annotated[str, Kind(parse=_parse_local_file, placeholder="FILE")]
ModelFolder = Annotated[str, Kind(parse=_parse_model_folder, placeholder="FOLDER")]
RunId = Annotated[
    str, _matching(_RUN_ID, "be letters, digits, - and _, at most 64", placeholder="ID")
]
FormatName = Annotated[str, _lazy_choice(_format_names, "FORMAT")]
Sample = Annotated[
    tuple[str | None, float],
    Kind(parse=_parse_sample, placeholder="[ENGINE=]RATE", pattern=rf"([^\s=]+=)?{_FRACTION}"),
]
MovedReason = Annotated[
    tuple[str, Verdict],
    Kind(parse=_parse_moved_reason, placeholder="REASON=VERDICT", pattern=r"[^\s=]+=[A-Z_]+"),
]
Checker = Annotated[
    str,
    Kind(
        parse=_parse_checker,
        placeholder="local|discoveryengine|URL",
        pattern=rf"(local|discoveryengine|{_ADDRESS})",
    ),
]
GroundingConfigName = Annotated[
    str,
    _matching(
        _CONFIG_NAME, "have the form projects/P/locations/L/groundingConfigs/C", placeholder="NAME"
    ),
]
Label = Annotated[
    tuple[str, str],
    Kind(parse=_parse_label, placeholder="KEY=VALUE", pattern=f"{_LABEL_KEY}={_LABEL_VALUE}"),
]
Proxy = Annotated[str, Kind(parse=_parse_proxy, placeholder="URL", pattern=_ADDRESS)]
ServiceAccount = Annotated[
    str,
    Kind(
        parse=parse_text,
        placeholder="EMAIL",
        parameter_type="SERVICE_ACCOUNT",
        pattern=r"[^@\s]+@[^@\s]+",
    ),
]
ListeningAddress = Annotated[
    tuple[str, int], Kind(parse=_parse_listening_address, placeholder="[HOST:]PORT")
]


def _pubsub(collection: str, parameter_type: str) -> Kind:
    form = f"projects/P/{collection}/{collection[0].upper()}"
    return _matching(
        rf"projects/[^/\s]+/{collection}/[^/\s]+",
        f"have the form {form}",
        placeholder=form,
        parameter_type=parameter_type,
        parameter_pattern=rf"{_PUBSUB_PROJECT}/{collection}/[^/\s]+",
    )


SubscriptionName = Annotated[str, _pubsub("subscriptions", "PUBSUB_SUBSCRIPTION")]
TopicName = Annotated[str, _pubsub("topics", "PUBSUB_TOPIC")]
