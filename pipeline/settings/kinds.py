"""Kinds of values: how a text is parsed, its range, and the type of a template parameter."""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.quantities import to_us
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.grounding.python_checker import is_object_name
from groundwatch.transforms.grounding.settings import DISCOVERY_ENGINE, LOCAL, SMALL, WORDS_ALONE
from groundwatch.transforms.rules.record_urls import check_template
from groundwatch.transforms.rules.routing import FINDINGS, PRECEDENCE
from groundwatch.transforms.runtime.addresses import ANY_PATH, is_address, is_utf8

_HIGHEST_PORT = 65_535
_LONGEST = 40
_LEAST_SHARE = 1e-6
_PART = r"[^/?#\s]+"
_RUN_ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_CONFIG_NAME = rf"projects/{_PART}/locations/{_PART}/groundingConfigs/{_PART}"
_EMAIL = r"[^@\s]+@[^@\s]+"
_HOST_AND_PORT = re.compile(r"(?:(?P<host>[^:\s]+|\[[^\]\s]+\]):)?(?P<port>\d{1,5})", re.ASCII)
_PATH_START = re.compile(r"/|\.{1,2}/|~|[a-z]+://")
_NEXT_PATH = re.compile(rf"\s+(?={_PATH_START.pattern})")
_PLACEHOLDERS = {"seconds": "SECONDS", "hours": "HOURS", "milliseconds": "MS", "megabytes": "MB"}


class ValueKind(Record, frozen=True):
    """One kind of value.

    Attributes:
      parse: turns a text into the value, or raises ValueError with what it must be.
      parameter_type: of Dataflow's `ParameterType`.
      is_secret: whether a wrong text may be a secret, which no message may quote.
      split: splits a text, such as a variable of the environment, into several values.
    """

    parse: Callable[[str], object]
    placeholder: str = "TEXT"
    parameter_type: str = "TEXT"
    range: str = ""
    unit: str = ""
    choices: Callable[[], Sequence[str]] | None = None
    is_secret: bool = False
    split: Callable[[str], list[str]] = str.split


def parse_switch(text: str) -> bool:
    """Read true or false."""
    if text.lower() not in {"true", "false"}:
        raise ValueError("must be true or false")
    return text.lower() == "true"


def choice_of(choices: Sequence[str], name: str) -> ValueKind:
    """Describe one of a few words, which a name stands for where they are long."""
    words = "|".join(choices)
    if len(words) <= _LONGEST:
        return _choice(lambda: choices, words)
    return _choice(lambda: choices, name, f"one of {', '.join(choices)}")


def _choice(choices: Callable[[], Sequence[str]], placeholder: str, range_: str = "") -> ValueKind:
    parse = partial(_one_of, choices)
    return ValueKind(parse, placeholder, parameter_type="ENUM", range=range_, choices=choices)


def _one_of(choices: Callable[[], Sequence[str]], text: str) -> str:
    accepted = choices()
    if text not in accepted:
        raise ValueError(f"must be one of {', '.join(accepted)}")
    return accepted[accepted.index(text)]


def _number(range_: str, least: float, most: float = 1, unit: str = "") -> ValueKind:
    def parse(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise ValueError(f"must be a number {range_}")
        return number

    return ValueKind(parse, _PLACEHOLDERS.get(unit, "NUMBER"), "NUMBER", range_, unit)


def _positive(unit: str = "") -> ValueKind:
    return _number("above 0", math.ulp(0), sys.float_info.max, unit)


def _whole(least: int, unit: str = "", most: float = math.inf) -> ValueKind:
    range_ = f"from {least}" if math.isinf(most) else f"from {least} to {most}"

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise ValueError(f"must be a whole number {range_}")
        return int(text)

    return ValueKind(parse, _PLACEHOLDERS.get(unit, "N"), "NUMBER", range_, unit)


def _accepting(
    accepts: Callable[[str], object], expected: str, placeholder: str, parameter_type: str = "TEXT"
) -> ValueKind:
    def parse(text: str) -> str:
        _refuse_undecoded(text)
        if not accepts(text):
            raise ValueError(f"must {expected}")
        return text

    return ValueKind(parse, placeholder, parameter_type)


def _matching(pattern: str, expected: str, placeholder: str) -> ValueKind:
    return _accepting(re.compile(pattern).fullmatch, expected, placeholder)


def _pubsub(collection: str, parameter_type: str) -> ValueKind:
    form = f"projects/P/{collection}/{collection[0].upper()}"
    return _accepting(_pubsub_name(collection), f"have the form {form}", form, parameter_type)


def _pubsub_name(collection: str) -> Callable[[str], object]:
    return re.compile(rf"projects/[^/\s]+/{collection}/[^/\s]+").fullmatch


def _parse_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    _refuse_undecoded(text)
    return text


def _refuse_undecoded(text: str) -> None:
    if not is_utf8(text):
        # The locale decides how the system's bytes are read.
        raise ValueError("must be UTF-8; in another locale, set PYTHONUTF8=1")


def _parse_location(text: str) -> str:
    scheme, colon, name = _parse_text(text).partition("://")
    if colon and scheme != "gs":
        raise ValueError("must be a local path, or begin with gs://")
    if colon and not name.partition("/")[0]:
        raise ValueError("must name a bucket after gs://")
    # A shell leaves the tilde in --output=~/out.
    return text if colon else os.path.expanduser(text)  # noqa: PTH111 - keeps the text as it is


def _split_paths(text: str) -> list[str]:
    """Split paths at spaces; of those such as /a or gs://b only where the next one begins so."""
    return _NEXT_PATH.split(text) if _PATH_START.match(text) else text.split()


def _parse_failure_files(text: str) -> str:
    # A path of this form begins with ./ instead.
    if _pubsub_name("subscriptions")(text):
        raise ValueError(
            "must be files: write the messages of the subscription to one with gcloud pubsub"
            " subscriptions pull --format=json, and check them with groundwatch backfill --input"
        )
    return _parse_location(text)


def _parse_scorer(text: str) -> str:
    # The embedded checker imports all rules, which the help should not wait for.
    from groundwatch.transforms.grounding.scorers import model_files  # noqa: PLC0415

    if text in {SMALL, WORDS_ALONE} or model_files.HubName.parse(_parse_text(text)):
        return text
    files = model_files.find_model(text)
    there = {
        model_files.MODEL: files.model,
        model_files.TOKENIZER: files.folder / model_files.TOKENIZER,
    }
    if missing := [name for name, file in there.items() if not file.is_file()]:
        raise ValueError(
            f"must be {SMALL}, {WORDS_ALONE}, a folder that holds {' and '.join(missing)}, or"
            " OWNER/NAME[@REVISION] of the Hugging Face Hub"
        )
    return text


def _parse_key_file(text: str) -> str:
    try:
        # It may be of a service account, of a user, or of a federated identity.
        is_key = "type" in json.loads(Path(text).read_bytes())
    except (OSError, ValueError, TypeError):
        is_key = False
    if not is_key:
        raise ValueError("must be an existing key file of Google on this machine")
    return text


def parse_pair(text: str, form: str) -> tuple[str, str]:
    """Split a value of a form such as NAME=VALUE; raise ValueError for another one."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError(f"must have the form {form}")
    return name, value


def _parse_moved_reason(text: str) -> tuple[str, Verdict]:
    reason, verdict = parse_pair(text, "REASON=VERDICT")
    if reason in FINDINGS:
        raise ValueError(f"{reason} is a reason of groundwatch; move one that a generator gives")
    return reason, Verdict(_one_of(lambda: PRECEDENCE, verdict))


def _parse_mapping(text: str) -> tuple[str, str]:
    # The paths import the JSON reader, which the help should not wait for.
    from groundwatch.transforms.formats.field_maps.field_map import parse_map  # noqa: PLC0415

    field, path = parse_pair(text, "FIELD=JSONPATH")
    parse_map(((field, path),))
    return field, path


def _parse_time(text: str) -> int:
    try:
        return to_us(datetime.fromisoformat(text))
    except ValueError:
        raise ValueError("must be a date or a time such as 2026-03-02T12:00:00Z") from None


def _parse_engine_fraction(text: str) -> tuple[str | None, float]:
    engine, equals, fraction = text.rpartition("=")
    if equals and not engine:
        raise ValueError("must have the form NUMBER or ENGINE=NUMBER")
    return engine or None, float(str(_FRACTION.parse(fraction)))


def _parse_checker(text: str) -> str:
    is_named = text in {LOCAL, DISCOVERY_ENGINE} or is_object_name(text)
    if not is_named and not is_address(text):
        raise ValueError(
            "must be local, discoveryengine, an address such as http://127.0.0.1:8080, or"
            " module:name of a Python object"
        )
    return text.rstrip("/")


def _parse_listening_address(text: str) -> tuple[str, int]:
    found = _HOST_AND_PORT.fullmatch(text)
    if not found or int(found["port"]) > _HIGHEST_PORT:
        raise ValueError("must have the form HOST:PORT, or be a port; port 0 takes a free one")
    return (found["host"] or "127.0.0.1").strip("[]"), int(found["port"])


def _format_names() -> Sequence[str]:
    # The formats import all wire types, which the help should not wait for.
    from groundwatch.transforms.formats.format_table import format_names  # noqa: PLC0415

    return format_names()


_FRACTION = _number("from 0 to 1", 0)
URL = _accepting(
    partial(is_address, path=ANY_PATH), "be an address such as http://127.0.0.1:6006", "URL"
)
_FOLDER_FORM = "be a folder of this machine"
_FILE_FORM = "be an existing file of this machine"
_PROXY_FORM = "be an address such as http://proxy:3128"
_CONFIG_FORM = "have the form projects/P/locations/L/groundingConfigs/C"

Text = Annotated[str, ValueKind(_parse_text)]
Switch = Annotated[bool, ValueKind(parse_switch, "", "BOOLEAN")]
Fraction = Annotated[float, _FRACTION]
Weight = Annotated[float, _number("from 0 to inf", 0, math.inf)]
Share = Annotated[float, _number("above 0, at most 1", _LEAST_SHARE)]
Positive = Annotated[float, _positive()]
Seconds = Annotated[float, _positive("seconds")]
Milliseconds = Annotated[float, _positive("milliseconds")]
Hours = Annotated[float, _positive("hours")]
Count = Annotated[int, _whole(1)]
Megabytes = Annotated[int, _whole(1, "megabytes")]
Port = Annotated[int, _whole(0, most=_HIGHEST_PORT)]
Location = Annotated[str, ValueKind(_parse_location, "PATH", split=_split_paths)]
FailureFiles = Annotated[str, ValueKind(_parse_failure_files, "PATH", split=_split_paths)]
OutputFolder = Annotated[str, ValueKind(_parse_location, "FOLDER", "GCS_WRITE_FOLDER")]
LocalFolder = Annotated[
    str,
    replace(
        _accepting(lambda text: "://" not in _parse_location(text), _FOLDER_FORM, "FOLDER"),
        split=_split_paths,
    ),
]
LocalFile = Annotated[str, _accepting(lambda text: Path(text).is_file(), _FILE_FORM, "FILE")]
KeyFile = Annotated[str, ValueKind(_parse_key_file, "FILE")]
Scorer = Annotated[str, ValueKind(_parse_scorer, "MODEL")]
RunId = Annotated[str, _matching(_RUN_ID, "be letters, digits, - and _, at most 64", "ID")]
FormatName = Annotated[str, _choice(_format_names, "FORMAT")]
Sample = Annotated[tuple[str | None, float], ValueKind(_parse_engine_fraction, "[ENGINE=]RATE")]
Threshold = Annotated[
    tuple[str | None, float], ValueKind(_parse_engine_fraction, "[ENGINE=]NUMBER")
]
# A path may hold spaces, such as $["Retrieved docs"] and $.a | $.b.
_NEXT_FIELD = re.compile(r"\s+(?=\w+=)")
MappedField = Annotated[
    tuple[str, str], ValueKind(_parse_mapping, "FIELD=JSONPATH", split=_NEXT_FIELD.split)
]
VerdictOrTag = Annotated[Verdict | Tag, choice_of((*Verdict, *Tag), "VERDICT|TAG")]
MovedReason = Annotated[tuple[str, Verdict], ValueKind(_parse_moved_reason, "REASON=VERDICT")]
Checker = Annotated[str, ValueKind(_parse_checker, "local|discoveryengine|URL|MODULE:NAME")]
GroundingConfigName = Annotated[str, _matching(_CONFIG_NAME, _CONFIG_FORM, "NAME")]
Proxy = Annotated[str, _accepting(is_address, _PROXY_FORM, "URL")]
ServiceAccount = Annotated[
    str, _accepting(re.compile(_EMAIL).fullmatch, "be an email", "EMAIL", "SERVICE_ACCOUNT")
]
Time = Annotated[int, ValueKind(_parse_time, "TIME")]
Url = Annotated[str, URL]
RecordUrl = Annotated[str, ValueKind(check_template, "TEMPLATE")]
ServerAddress = Annotated[str, _matching(r"[^\s@]+:\d{1,5}", "be HOST:PORT", "HOST:PORT")]
ListeningAddress = Annotated[tuple[str, int], ValueKind(_parse_listening_address, "[HOST:]PORT")]
SubscriptionName = Annotated[str, _pubsub("subscriptions", "PUBSUB_SUBSCRIPTION")]
TopicName = Annotated[str, _pubsub("topics", "PUBSUB_TOPIC")]
