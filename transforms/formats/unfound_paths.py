"""Find the paths of the user's map that lead nowhere in any of some messages."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from groundwatch.schemas.message import Message, ParseOptions, UnreadableAnswer
from groundwatch.schemas.wire.json_input import read_with_nulls
from .answer_elements import split_answers
from .field_maps.field_map import FieldMap, parse_map
from .field_maps.json_path import JsonPath


def unfound_paths(messages: Iterable[Message], options: ParseOptions) -> Sequence[str]:
    """Return the parts of the user's map, such as `time=$.when`, that no message has a field for.

    Of facts each path must be in some message, of any other field one of its paths.
    """
    field_map = parse_map(options.own_map)
    left = dict(_parts(field_map))
    for message in messages if left else ():
        with suppress(UnreadableAnswer):
            for value, own_message, _ in split_answers(message, field_map):
                places = (value, read_with_nulls(own_message.payload))
                left = {
                    name: paths
                    for name, paths in left.items()
                    if not any(path.leads_to_any(place) for path in paths for place in places)
                }
        if not left:
            break
    return [*left]


def _parts(field_map: FieldMap) -> Iterator[tuple[str, Sequence[JsonPath]]]:
    for field, paths in field_map.paths.items():
        for each in [(path,) for path in paths] if field == "facts" else [paths]:
            yield f"{field}={' | '.join(path.text for path in each)}", each
