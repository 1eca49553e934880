"""From what a student's function returns to plain data, in the worker, before it crosses the channel.

An exercise asks for a mapping, a sequence or a number in Python's sense. A Counter, a named tuple, a deque or a Fraction
is one, and becomes the dict, tuple, list or float that it stands for. Anything else stays as it is: it travels as the
name of its type, and the check says which type it expected.
"""

import dataclasses
import decimal
import numbers
from collections import deque
from collections.abc import Mapping, Sequence, Set

MOST_DEPTH = 12  # as in the channel, which goes no deeper
TEXTS = (str, bytes, bytearray, memoryview)


def result(value):
    """The plain form of a result; a sequence or set of requests becomes a list of requests."""
    is_row = issubclass(type(value), (Sequence, Set, deque)) and not issubclass(type(value), TEXTS)
    if is_row and all(_is_request(item) for item in value):
        return requests_in_order(value)
    return plain(value)


def attribute(value):
    """The plain form of an attribute that a check reads: any collection becomes a list."""
    return plain(value, as_lists=True)


def plain(value, *, as_lists: bool = False, depth: int = 0):
    """The plain form of a value. With `as_lists`, tuples and sets become lists as well; a set's items in order."""
    kind = type(value)  # its true type: an object's `__class__` can claim anything
    if depth > MOST_DEPTH or value is None or kind in (bool, int, float, str) or _is_request(value):
        return value

    def inner(item):
        return plain(item, as_lists=as_lists, depth=depth + 1)

    if issubclass(kind, Mapping):
        return {plain(key, depth=depth + 1): inner(item) for key, item in value.items()}
    if issubclass(kind, tuple) and not as_lists:
        return tuple(inner(item) for item in value)
    if issubclass(kind, (Sequence, deque)) and not issubclass(kind, TEXTS):
        return [inner(item) for item in value]
    if as_lists and issubclass(kind, Set):
        return _sorted([inner(item) for item in value])
    if dataclasses.is_dataclass(kind):
        return tuple(inner(getattr(value, field.name)) for field in dataclasses.fields(kind))
    return _number(value, kind)


def requests_in_order(requests) -> list:
    """Requests as a list: in their own order, or that of their ids where they have none."""
    return sorted(requests, key=lambda request: request.request_id) if isinstance(requests, Set) else list(requests)


def _sorted(items: list) -> list:
    try:
        return sorted(items)
    except TypeError:  # of several kinds
        return sorted(items, key=repr)


def _number(value, kind: type):
    """An int or a float for every other kind of number, and for a tensor with one number."""
    if issubclass(kind, (int, float)):  # their subclasses: the channel sends the number
        return value
    if issubclass(kind, (numbers.Rational, decimal.Decimal)):
        return int(value) if value == value and abs(value) != float("inf") and value == int(value) else float(value)
    if kind.__module__ == "numpy" or kind.__module__ == "torch" and getattr(value, "ndim", None) == 0:
        return value.tolist()
    return value


def _is_request(value) -> bool:
    return type(value).__module__ == "minigpt.runtime.request" and type(value).__name__ == "Request"
