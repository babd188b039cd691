"""Load settings: a flag wins over the environment, which wins over the file, then the default."""

import argparse
import difflib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, pairwise, takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Generic, NamedTuple

import msgspec
import yaml

from groundwatch.transforms.runtime.addresses import hide_secrets
from . import kinds
from .definition import S, Setting, Settings, accepted_settings, build, settings_of

PREFIX = "GROUNDWATCH_"
# Variables that Kubernetes sets in each container for a Service called groundwatch.
_OF_KUBERNETES = re.compile(
    r"(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)"
)
_CONFIG = "config"
_KEY_FILE = "credentials_file"
_INVALID = object()
_FEW_NAMES = 4
_NEED = re.compile(r"(\w+)(?:(!?=)(\w*))?")
_NEEDED = {None: "", "=": "{}", "!=": "(another than {})"}


FindInherited = Callable[
    [Mapping[str, tuple[str, ...]], Collection[str], list[str], list[str]],
    Mapping[str, tuple[str, ...]],
]
"""Finds the texts of an earlier run's settings, by key.

It gets the texts that are given anywhere, the keys of the arguments, and the lists of problems and
of notes.
"""


class CommonSettings(Settings, frozen=True, kw_only=True):
    """What every command takes.

    config: YAML file with settings by name, without dashes. Settings of other commands are ignored.
    """

    config: kinds.LocalFile | None = None


class UsageError(Exception):
    """The command line, the environment or the file has problems, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class Loaded(msgspec.Struct, Generic[S]):
    """The settings of one command line; those with a problem have their default, or are empty.

    `others` are the arguments that are not settings. A command adds the problems of its files.
    `notes` name settings of a file or the environment that were removed, and those of an earlier
    run. `given` are the texts of all that are given, by key.
    """

    settings: S
    others: list[str]
    problems: list[str]
    notes: list[str]
    given: dict[str, tuple[str, ...]]
    credentials_file: str | None = None

    def raise_problems(self) -> None:
        if self.problems:
            raise UsageError(self.problems)


class _Given(NamedTuple):
    """What one source says of a setting: the texts, and their place for messages."""

    texts: tuple[str, ...]
    place: str

    @property
    def setting(self) -> str:
        """The place without the mark in front of the texts."""
        return self.place.rstrip(":= ")


def load(
    settings: type[S],
    arguments: Sequence[str],
    environment: Mapping[str, str],
    known: Collection[str] = (),
    removed: Mapping[str, str] = MappingProxyType({}),
    *,
    find_inherited: FindInherited | None = None,
) -> Loaded[S]:
    """Load the settings of a command from its arguments, the environment and a file.

    `known` are the keys of other commands' settings, which files and the environment may hold, too,
    as those of `removed` settings, each with the reason why it has no effect. Settings of an
    earlier run, which `find_inherited` finds, win over all but the arguments.
    """
    fields = settings_of(settings)
    accepted = accepted_settings(settings)
    problems: list[str] = []
    positional, flags = _split_positional(arguments, accepted)
    given, others = _flags(flags, (*accepted, *settings_of(CommonSettings)), problems)
    keys = {*known, *removed, _CONFIG}
    keys.update(field.key for field in accepted if not field.is_argument)
    variables = _variables(environment, accepted, keys, problems)
    config = given.pop(_CONFIG, variables.pop(_CONFIG, None))
    of_file = _read_file(config, keys, problems) if config else {}
    elsewhere = of_file | variables
    for field in fields:
        if field.is_argument:
            elsewhere.pop(field.key, None)  # of another command
    notes = [
        f"{each.setting} has no effect: {removed[key]}"
        for key, each in elsewhere.items()
        if key in removed
    ]
    given |= positional
    if find_inherited:
        texts = {key: each.texts for key, each in (elsewhere | given).items()}
        inherited = find_inherited(texts, given, problems, notes)
        for key, values_of_run in inherited.items():
            elsewhere[key] = _Given(values_of_run, f"the failures' run, --{key} ")
    given = elsewhere | given
    values: dict[str, object] = {}
    missing = []
    for field in fields:
        found = [given[key] for key in (field.key, field.note.earlier) if key in given]
        if found:
            values[field.key] = _values(field, found, problems)
        elif field.is_required:
            missing.append(f"{field.written} is missing: {field.help}")
    built = build(settings, {key: each for key, each in values.items() if each is not _INVALID})
    # Without an invalid value, settings seem to contradict each other or to be missing.
    contradictions = [] if problems else [_placed(each, given) for each in built.problems()]
    if not (problems or contradictions):
        typed = [
            each for each in fields if each.key in given and given[each.key].place.startswith("--")
        ]
        contradictions += _without_effect(typed, fields, values, others)
    key_file = values.get(_KEY_FILE)
    return Loaded(
        built,
        others,
        [*missing, *problems, *contradictions],
        notes,
        {key: each.texts for key, each in given.items()},
        key_file if isinstance(key_file, str) else None,
    )


def load_argument(
    settings: type[S],
    given: Mapping[str, object] | str | os.PathLike[str],
    name: str,
    also_named: Mapping[str, str],
) -> S:
    """Load settings from an argument of a function alone: by name, or from the file of a path.

    A value is as in a file: one, a list, or a mapping of names. `name` is that of the argument,
    `also_named` has settings by other names, which a mapping may have.

    Raises:
      UsageError: a name, a value or the path is wrong.
    """
    problems: list[str] = []
    fields = {field.key: field for field in settings_of(settings)}
    names = [name for name in (*also_named, *fields) if name not in also_named.values()]
    found: dict[str, _Given] = {}
    if isinstance(given, Mapping):
        for own_name, value in given.items():
            place = f"{name}[{own_name!r}]"
            key = also_named.get(own_name, own_name)
            if key in fields:
                found[key] = _Given(_texts_of(value), f"{place} = ")
            else:
                problems.append(f"{place} is not a setting{_known_hint(str(key), names)}")
    else:
        found = _read_file(_Given((os.fspath(given),), f"{name}="), fields, problems)
    values = {key: _value(fields[key], each, problems) for key, each in found.items()}
    if problems:
        raise UsageError(problems)
    return build(settings, values)


def _texts_of(value: object) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return tuple(f"{name}={each}" for name, each in value.items())
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


def flag_names(settings: type[Settings]) -> list[str]:
    """List the flags of a command, without dashes."""
    return [field.name for each in (settings, CommonSettings) for field in accepted_settings(each)]


def describe_unknown(arguments: Sequence[str], names: Collection[str]) -> list[str]:
    """Name the arguments that are not flags of these names, without the values after a flag."""
    values = [
        f"unexpected argument {hide_secrets(value)!r}: a value follows its flag"
        for value in takewhile(_is_value, arguments)
    ]
    flags = (argument.partition("=")[0] for argument in filterfalse(_is_value, arguments))
    unknown = (flag for flag in flags if flag.removeprefix("--") not in names)
    refusals = (f"{flag} is unknown{nearest_hint(flag, names, '--')}" for flag in unknown)
    return [*values, *refusals]


def _is_value(argument: str) -> bool:
    return not argument.startswith("-")


def nearest_hint(name: str, names: Collection[str], prefix: str = "") -> str:
    """Name the nearest known name; a prefix that all have in common says nothing."""
    own = name.removeprefix(prefix).replace("-", "_")
    near = difflib.get_close_matches(own, sorted(names), n=1)
    return f"; did you mean {prefix}{near[0]}?" if near else ""


def _known_hint(name: str, names: Collection[str]) -> str:
    """Name the nearest known name, or all where they are few."""
    few = f": the names are {', '.join(names)}" if len(names) <= _FEW_NAMES else ""
    return nearest_hint(name, names) or few


def _split_positional(
    arguments: Sequence[str], fields: Sequence[Setting]
) -> tuple[dict[str, _Given], list[str]]:
    """Take out the positional values: texts that are not the value of a flag.

    A flag of several values takes all that follow it, but only the first where no positional value
    stands before it.
    """
    waiting = [field for field in fields if field.note.positional]
    taking = {f"--{each.name}" for each in fields if not each.is_switch} | {f"--{_CONFIG}"}
    taking_many = {f"--{each.name}" for each in fields if each.is_many}
    given: dict[str, _Given] = {}
    others = []
    flag = ""
    for previous, argument in pairwise(("", *arguments)):
        if not _is_value(argument):
            flag = argument
        is_of_flag = previous in taking or (flag in taking_many and given)
        if waiting and _is_value(argument) and not is_of_flag:
            field = waiting[0]
            if not field.is_many:
                waiting.pop(0)
            before = given[field.key].texts if field.key in given else ()
            given[field.key] = _Given((*before, argument), f"{field.written} ")
        else:
            others.append(argument)
    return given, others


def _flags(
    arguments: Sequence[str], fields: Sequence[Setting], problems: list[str]
) -> tuple[dict[str, _Given], list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    flags = [field for field in fields if not field.note.positional]
    for field in flags:
        # Any number of values, since argparse would stop at the first wrong number.
        name = f"--{field.name}"
        parser.add_argument(name, action="append", nargs="*", dest=field.key, default=[])
    namespace, others = parser.parse_known_args(arguments)
    given: dict[str, _Given] = {}
    for field in flags:
        times: list[list[str]] = getattr(namespace, field.key)
        for texts in times:
            if not texts and not field.is_switch:
                problems.append(f"--{field.name} needs a value: {field.help}")
            elif not field.is_many and len(texts) > 1:
                unexpected = hide_secrets(texts[1])
                problems.append(f"--{field.name} takes one value: unexpected {unexpected!r}")
        texts = [text for texts in times for text in texts or ["true"] * field.is_switch]
        if texts:
            # Of a repeated flag with one value the last one counts.
            kept = texts if field.is_many else texts[-1:]
            given[field.key] = _Given(tuple(kept), f"--{field.name} ")
    return given, others


def _variables(
    environment: Mapping[str, str],
    fields: Sequence[Setting],
    keys: Collection[str],
    problems: list[str],
) -> dict[str, _Given]:
    by_key = {field.key: field for field in fields}
    names = {key.upper(): key for key in keys}
    given: dict[str, _Given] = {}
    for variable, text in sorted(environment.items()):
        name = variable.removeprefix(PREFIX)
        if not variable.startswith(PREFIX) or not text:
            continue
        if name in names:
            field = by_key.get(names[name])
            texts = field.split(text) if field else [text]
            given[names[name]] = _Given(tuple(texts), f"{variable}=")
        elif not _OF_KUBERNETES.fullmatch(name):
            problems.append(f"{variable}: is not a setting{nearest_hint(variable, names, PREFIX)}")
    return given


def _read_file(config: _Given, keys: Collection[str], problems: list[str]) -> dict[str, _Given]:
    [field] = settings_of(CommonSettings)
    path = _value(field, config, problems)
    if not isinstance(path, str):
        return {}
    named = f"{config.place}{path}"
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        problems.append(f"{named}{_unreadable(error, Path(path))}")
        return {}
    if root is not None and not isinstance(root, yaml.MappingNode):
        problems.append(f"{named}: must be a mapping of settings, such as claim_threshold: 0.4")
        return {}
    given: dict[str, _Given] = {}
    for key_node, value_node in root.value if root else ():
        key, place = str(key_node.value), f"{path}, line {key_node.start_mark.line + 1}: "
        texts = _yaml_texts(value_node)
        if key not in keys:
            problems.append(f"{place}{key} is not a setting{_known_hint(key, keys)}")
        elif key == _CONFIG:
            problems.append(f"{place}{key}: a file cannot name another")
        elif key in given:
            problems.append(f"{place}{key} is set twice")
        elif texts is None:
            problems.append(f"{place}{key}: must be a value, a list, or a mapping of names")
        elif texts:
            given[key] = _Given(texts, f"{place}{key}: ")
    return given


def _unreadable(error: Exception, path: Path) -> str:
    """Say in which line a file cannot be read, as far as the error tells."""
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or error
    before = None
    if mark := getattr(error, "problem_mark", None):
        before = mark.line
    elif isinstance(error, UnicodeDecodeError):
        before = error.object.count(b"\n", 0, error.start)
    elif isinstance(error, yaml.reader.ReaderError):
        before = path.read_text(encoding="utf-8").count("\n", 0, error.position)
    return f"{'' if before is None else f', line {before + 1}'}: cannot be read: {reason}"


def _without_effect(
    flags: Sequence[Setting],
    fields: Sequence[Setting],
    values: Mapping[str, object],
    others: Sequence[str],
) -> Iterator[str]:
    """Name the flags that have no effect, since each setting that they need is absent.

    Of the `others`, Beam's flags, each one that is given counts.
    """
    known = {field.key: field for field in fields}
    beams = {each.partition("=")[0] for each in others}
    for flag in flags:
        needs = [_NEED.fullmatch(each) for each in flag.note.needs.split()]
        found = [each.groups() for each in needs if each]
        if not found or any(f"--{name}" in beams for name, _, _ in found):
            continue
        own = [(known[key], sign, value) for key, sign, value in found if key in known]
        if not any(_is_met(each, values.get(each.key), *how) for each, *how in own):
            wanted = (
                f"{each.written} {_NEEDED[sign].format(value)}".rstrip()
                for each, sign, value in own
            )
            beside = "with" if own[0][2] == "" else "without"
            yield f"{flag.written}: has no effect {beside} {' or '.join(wanted)}"


def _is_met(setting: Setting, given: object, sign: str | None, wanted: str | None) -> bool:
    value = given or setting.default
    if wanted == "":
        return not value
    if sign is None:
        return bool(value)
    value = value or setting.note.default
    return bool(value) and (value == wanted) == (sign == "=")


def _placed(problem: str, given: Mapping[str, _Given]) -> str:
    """Name the line or the variable of the setting that a problem begins with, if it has one."""
    flag = re.match(r"--(\w+)", problem)
    place = given[flag[1]].setting if flag and flag[1] in given else "--"
    return problem if not flag or place.startswith("--") else place + problem[flag.end() :]


def _yaml_texts(node: yaml.Node) -> tuple[str, ...] | None:
    """The texts as they are in the file: the setting's kind decides what 1 or yes means."""
    if isinstance(node, yaml.ScalarNode):
        return () if node.tag.endswith(":null") else (node.value,)
    is_list = isinstance(node, yaml.SequenceNode)
    nodes = node.value if is_list else [*chain(*node.value)]
    if not all(isinstance(each, yaml.ScalarNode) for each in nodes):
        return None
    texts = [each.value for each in nodes]
    pairs = zip(texts[::2], texts[1::2], strict=False)
    return tuple(texts) if is_list else tuple(map("=".join, pairs))


def _values(field: Setting, given: Sequence[_Given], problems: list[str]) -> object:
    """Return the value of a setting, or all that are given under its name and its earlier one."""
    values = [_value(field, each, problems) for each in given]
    if len(values) == 1:
        return values[0]
    return tuple(each for some in values if isinstance(some, tuple) for each in some)


def _value(field: Setting, given: _Given, problems: list[str]) -> object:
    values: list[object] = []
    for text in given.texts:
        try:
            values.append(field.kind.parse(text))
        except ValueError as error:
            shown = (
                "(a value that may be a secret)"
                if field.kind.is_secret
                else hide_secrets(text) or repr(text)
            )
            problems.append(f"{given.place}{shown}: {error}")
            values.append(_INVALID)
    if not field.is_many:
        if len(values) > 1:
            problems.append(f"{given.place}takes one value, not {len(values)}")
        return values[-1]
    return tuple(value for value in values if value is not _INVALID)
