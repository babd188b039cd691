"""Define settings as fields of typed structs, and list the settings of a struct."""

import re
import types
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from pipeline.settings.kinds import Kind, choice_of, parse_switch
from schemas import Record


class Settings(Record, frozen=True, kw_only=True):
    """A group of settings, or the groups that a command takes.

    A setting is a field such as ``timeout_s: Annotated[Seconds, "Deadline of a call."] = 10.0``: a
    type of `kinds`, an enum or a Literal; the help; the default, without which it is required.
    A field whose type is another `Settings` adds all settings of it. The name of the class is the
    title of the group: `InputFormatSettings` heads it with "Input format".
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
      flag: the flag's name, where another command gives that flag another meaning; files and the
        environment always use the field's name.
      former: the flag's name in an earlier version, which still works.
      default: describes a default that depends on something.
      at_most: how many values it takes.
      is_positional: whether the value is an argument without a flag.
      is_argument: whether it is only taken from the command line.
      is_local: whether it only makes sense for a run on this machine.
    """

    flag: str = ""
    former: str = ""
    default: str = ""
    at_most: int | None = None
    is_positional: bool = False
    is_argument: bool = False
    is_local: bool = False


class Without(Record, frozen=True, kw_only=True):
    """Leaves settings out of the groups that a command takes; they keep their defaults."""

    keys: frozenset[str]


class Setting(Record, frozen=True, kw_only=True):
    """One setting of a command.

    Attributes:
      path: the fields that lead to its value.
      group: the title of its group.
      help: one or more sentences.
      kind: of each of its values.
      default: its value where nobody sets it; unspecified where `is_required`.
      is_many: whether it takes several values; it is a tuple then.
    """

    path: tuple[str, ...]
    group: str
    help: str
    kind: Kind
    default: object
    is_required: bool
    is_many: bool
    note: Note

    @property
    def key(self) -> str:
        """Its name in files, in capitals in the environment."""
        return self.path[-1]

    @property
    def name(self) -> str:
        """Its flag, without the dashes."""
        return self.note.flag or self.key

    @property
    def is_switch(self) -> bool:
        """Whether the flag alone means true."""
        return self.kind.parse is parse_switch

    @property
    def is_argument(self) -> bool:
        """Whether files and the environment cannot set it."""
        return self.note.is_argument or self.note.is_positional

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
    def pattern(self) -> str:
        """A regular expression of a text with all values, separated by white space."""
        one = self.kind.pattern
        if self.kind.choices is not None:
            # A later version may know more verdicts and tags.
            words = "|".join(map(re.escape, self.kind.choices()))
            one = "[A-Z_]+" if self.is_many else f"({words})"
        return rf"^{one}(\s+{one})*$" if self.is_many else f"^{one}$"


@cache
def settings_of(settings: type[Settings]) -> tuple[Setting, ...]:
    """List all settings of a struct, in the order of its fields."""
    return tuple(_settings_of(settings, ()))


def build(settings: type[S], values: Mapping[str, object]) -> S:
    """Create a struct of settings.

    Args:
      settings: its type.
      values: by key; the others have their default, and required ones are empty.
    """
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(settings):
        group = _group_of(field)
        if group is not None:
            fields[field.name] = build(group, values)
        elif field.name in values:
            fields[field.name] = values[field.name]
        elif field.required:
            base, _ = _unwrapped(field.type)
            fields[field.name] = () if get_origin(base) is tuple else ""
    return settings(**fields)


def _settings_of(settings: type[Settings], path: tuple[str, ...]) -> Iterator[Setting]:
    for field in msgspec.structs.fields(settings):
        place = (*path, field.name)
        group = _group_of(field)
        if group is None:
            yield _setting(field, place, _title(settings))
            continue
        _, marks = _unwrapped(field.type)
        left_out = {key for mark in marks if isinstance(mark, Without) for key in mark.keys}
        yield from (each for each in _settings_of(group, place) if each.key not in left_out)


def _title(settings: type[Settings]) -> str:
    words = re.findall("[A-Z][a-z]+", settings.__name__.removesuffix("Settings"))
    return " ".join(words).capitalize()


def _group_of(field: FieldInfo) -> type[Settings] | None:
    base, _ = _unwrapped(field.type)
    return base if isinstance(base, type) and issubclass(base, Settings) else None


def _setting(field: FieldInfo, path: tuple[str, ...], group: str) -> Setting:
    base, marks = _unwrapped(field.type)
    kind = _kind_of(base, marks)
    is_many = kind is None
    return Setting(
        path=path,
        group=group,
        help=next(mark for mark in marks if isinstance(mark, str)),
        kind=kind or _kind_of_item(base),
        default=field.default,
        is_required=field.required,
        is_many=is_many,
        note=next((mark for mark in marks if isinstance(mark, Note)), Note()),
    )


def _kind_of_item(base: object) -> Kind:
    item, marks = _unwrapped(get_args(base)[0])
    kind = _kind_of(item, marks)
    assert kind is not None  # noqa: S101 - a setting of an unsupported type
    return kind


def _kind_of(base: object, marks: tuple[object, ...]) -> Kind | None:
    for mark in marks:
        if isinstance(mark, Kind):
            return mark
    if get_origin(base) is Literal:
        return choice_of(get_args(base), "WORD")
    if isinstance(base, type) and issubclass(base, StrEnum):
        return choice_of(tuple(base), base.__name__.upper())
    return None


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
