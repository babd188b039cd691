"""Define settings as fields of typed structs, and list the settings of a struct."""

import inspect
import re
import types
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import replace

from groundwatch.schemas import Record
from .kinds import ValueKind, choice_of, parse_switch

_HELP = re.compile(r"^(\w+): (.*(?:\n  .*)*)", re.MULTILINE)
_DEFAULT = re.compile(r" Default: (.*)\.$")


class Settings(Record, frozen=True, kw_only=True):
    """A group of settings, or the groups that a command takes.

    A setting is a field such as ``timeout_s: kinds.Seconds = 10.0``: a type of `kinds`, an enum or
    a Literal, and the default, without which it is required. Its help follows its name in the
    docstring; "Default: ..." at the end describes a default that depends on something. A field
    whose type is another `Settings` adds all settings of it. The name of the class is the title of
    the group: `InputFormatSettings` heads it with "Input format".
    """

    def problems(self) -> Iterator[str]:
        """Name the settings that contradict each other, one sentence each."""
        for name in self.__struct_fields__:
            group = getattr(self, name)
            if isinstance(group, Settings):
                yield from group.problems()


S = TypeVar("S", bound=Settings)


class Note(Record, frozen=True, kw_only=True):
    """What else is known of a setting, as part of its annotation.

    Attributes:
      flag: the flag's name, where another command gives that flag another meaning.
      earlier: another setting that this one of several values has taken in: its name still adds
        values.
      default: describes a default that depends on something; taken from the help.
      positional: its name in the usage line, such as DIR, if it stands without a flag.
      is_argument: whether it, or each setting of a group, is only taken from the command line.
      is_local: whether it only makes sense for a run on this machine.
      without: settings that are left out of a group and keep their defaults, separated by spaces.
      needs: settings without which it has no effect, separated by spaces. One of them is enough:
        NAME, NAME=VALUE or NAME!=VALUE; or `NAME=`, one without which it has one. The flag alone is
        refused; files and the environment may hold it for others.
    """

    flag: str = ""
    earlier: str = ""
    default: str = ""
    positional: str = ""
    is_argument: bool = False
    is_local: bool = False
    without: str = ""
    needs: str = ""


class Setting(Record, frozen=True, kw_only=True):
    """One setting of a command; `key` is its name in files, in capitals in the environment."""

    key: str
    group: str
    help: str
    kind: ValueKind
    default: object
    is_required: bool
    is_many: bool
    note: Note

    @property
    def name(self) -> str:
        """Its flag, without the dashes."""
        return self.note.flag or self.key

    @property
    def written(self) -> str:
        """How a command line names it: a flag, or the name of a positional argument."""
        return self.note.positional or f"--{self.name}"

    @property
    def is_switch(self) -> bool:
        return self.kind.parse is parse_switch

    @property
    def is_argument(self) -> bool:
        """Whether files and the environment cannot set it."""
        return self.note.is_argument or bool(self.note.positional)

    def split(self, text: str) -> list[str]:
        """Split the text of a variable, or of a template's parameter, into values."""
        return [*filter(None, self.kind.split(text.strip()))] if self.is_many else [text]

    @property
    def default_text(self) -> str:
        """The default as a user would write it; empty where there is none."""
        if self.note.default or self.is_required or self.default in (None, (), ""):
            return self.note.default
        if self.is_switch:
            return str(self.default).lower()
        values = self.default if isinstance(self.default, tuple) else (self.default,)
        return " ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in values)

    @property
    def default_with_unit(self) -> str:
        has_unit = self.kind.unit and self.default_text and not self.note.default
        unit = self.kind.unit.removesuffix("s") if self.default_text == "1" else self.kind.unit
        return f"{self.default_text} {unit}" if has_unit else self.default_text


@cache
def settings_of(settings: type[Settings]) -> tuple[Setting, ...]:
    """List all settings of a struct, in the order of its fields."""
    words = re.findall("[A-Z][a-z]+", settings.__name__.removesuffix("Settings"))
    title = " ".join(words).capitalize()
    texts = dict(_HELP.findall(inspect.getdoc(settings) or ""))
    found: list[Setting] = []
    for field in msgspec.structs.fields(settings):
        base, marks = _unwrapped(field.type)
        note = next((mark for mark in marks if isinstance(mark, Note)), Note())
        if _is_group(base):
            left_out = note.without.split()
            kept = (each for each in settings_of(base) if each.key not in left_out)
            if note.is_argument:
                kept = (replace(each, note=replace(each.note, is_argument=True)) for each in kept)
            found += kept
        else:
            text = " ".join(texts.get(field.name, "").split())
            has_kind = any(isinstance(mark, ValueKind) for mark in marks)
            is_many = get_origin(base) is tuple and not has_kind
            if default := _DEFAULT.search(text):
                note = replace(note, default=default[1])
            setting = Setting(
                key=field.name,
                group=title,
                help=_DEFAULT.sub("", text),
                kind=_kind_of(*(_unwrapped(get_args(base)[0]) if is_many else (base, marks))),
                default=field.default,
                is_required=field.required,
                is_many=is_many,
                note=note,
            )
            found.append(setting)
    return tuple(found)


@cache
def accepted_settings(settings: type[Settings]) -> tuple[Setting, ...]:
    """List all settings of a struct, and each earlier name as a setting of its own."""
    fields = settings_of(settings)
    earlier = (
        replace(
            field,
            key=field.note.earlier,
            help=f"Earlier name of {field.name}, to which it adds values.",
            default=(),
            note=Note(),
        )
        for field in fields
        if field.note.earlier
    )
    return *fields, *earlier


def build(settings: type[S], values: Mapping[str, object]) -> S:
    """Create a struct of settings from values by key; missing required ones are empty."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(settings):
        base, _ = _unwrapped(field.type)
        if _is_group(base):
            fields[field.name] = build(base, values)
        elif field.name in values:
            fields[field.name] = values[field.name]
        elif field.required:
            fields[field.name] = () if get_origin(base) is tuple else ""
    return settings(**fields)


def _is_group(base: Any) -> bool:
    return isinstance(base, type) and issubclass(base, Settings)


def _kind_of(base: Any, marks: tuple[object, ...]) -> ValueKind:
    for mark in marks:
        if isinstance(mark, ValueKind):
            return mark
    if get_origin(base) is Literal:
        return choice_of(get_args(base), "WORD")
    if isinstance(base, type) and issubclass(base, StrEnum):
        return choice_of(tuple(base), base.__name__.upper())
    raise TypeError(f"{base} is not a type of settings")


def _unwrapped(annotation: Any) -> tuple[Any, tuple[object, ...]]:
    """Separate a type from its annotations; None beside it is left out."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, marks = _unwrapped(annotation.__origin__)
        return base, (*marks, *annotation.__metadata__)
    if origin in {Union, types.UnionType}:
        [base, *_] = [each for each in get_args(annotation) if each is not types.NoneType]
        return _unwrapped(base)
    return annotation, ()
