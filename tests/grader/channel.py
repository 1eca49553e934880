"""What the checking process and the worker send to each other: bounded plain data, never pickles.

A message is a length of four bytes and that many bytes of JSON. Values beyond JSON carry a tag under the key "$"; a
value without a plain form travels as the name of its type, so that it can be reported and can never be run.
"""

import base64
import json
import math
import socket
import struct

MAX_MESSAGE_BYTES = 32 * 2**20
MAX_CONTAINERS = 2_000_000  # lists and objects of one message: each empty one costs its reader thirty times its bytes
MAX_DEPTH = 12
MAX_TEXT = 10_000  # characters of one string
MAX_INT_BITS = 256
LENGTH = struct.Struct(">I")


class ChannelError(Exception):
    """The other side is gone, or what it sent is not a message."""


class Unknown:
    """A value that has no plain form: equal to nothing, known by the name of its type."""

    def __init__(self, type_name: str):
        self.type_name = type_name

    def __repr__(self) -> str:
        return f"a value of type {self.type_name}"

    __hash__ = None

    def __eq__(self, other) -> bool:
        return False


def send(connection: socket.socket, message, on_wait=None) -> None:
    """Send one message; on a connection with a timeout, `on_wait` is as in `receive`."""
    data = json.dumps(message, allow_nan=False).encode("ascii")
    if len(data) > MAX_MESSAGE_BYTES:
        raise ChannelError(f"a message of {len(data):,} bytes is over the limit of {MAX_MESSAGE_BYTES:,}")
    left = memoryview(LENGTH.pack(len(data)) + data)
    while left:
        try:
            left = left[connection.send(left):]
        except TimeoutError:
            if on_wait is None:
                raise
            on_wait()


def receive(connection: socket.socket, on_wait=None):
    """The next message. Raises ChannelError if the other side has gone or sent something else.

    On a connection with a timeout, `on_wait` is called when it runs out and after each part that comes, so that a
    message that trickles in is timed like silence; it may raise to give up.
    """
    (size,) = LENGTH.unpack(_read(connection, LENGTH.size, on_wait))
    if size > MAX_MESSAGE_BYTES:
        raise ChannelError(f"a message of {size:,} bytes is over the limit of {MAX_MESSAGE_BYTES:,}")
    data = _read(connection, size, on_wait)
    if data.count(b"[") + data.count(b"{") > MAX_CONTAINERS:
        raise ChannelError(f"a message held more than {MAX_CONTAINERS:,} lists")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ChannelError(f"a message was not JSON ({type(error).__name__})") from None


def _read(connection: socket.socket, size: int, on_wait) -> bytes:
    parts = []
    while size:
        try:
            part = connection.recv(min(size, 2**20))
        except TimeoutError:
            on_wait()
            continue
        except OSError as error:
            raise ChannelError(f"the connection broke ({error})") from None
        if not part:
            raise ChannelError("the connection was closed")
        parts.append(part)
        size -= len(part)
        if size and on_wait is not None:
            on_wait()
    return b"".join(parts)


def pack(value, depth: int = 0):
    """The plain form of a value, for `send`."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if depth > MAX_DEPTH:
        return _tagged("unknown", f"{kind.__name__}, nested more than {MAX_DEPTH} deep")
    # By its true type: an object's `__class__` can claim anything.
    if issubclass(kind, int):
        number = int.__index__(value)
        too_long = number.bit_length() > MAX_INT_BITS
        return _tagged("unknown", "int of very many digits") if too_long else number
    if issubclass(kind, float):
        number = float.__float__(value)
        return number if math.isfinite(number) else _tagged("float", repr(number))
    if issubclass(kind, str):
        return str.__str__(value)[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
    if kind in (list, tuple):
        return _tagged(kind.__name__, [pack(item, depth + 1) for item in value])
    if kind is dict:
        return _tagged("dict", [[pack(k, depth + 1), pack(v, depth + 1)] for k, v in value.items()])
    return _pack_other(value, kind, depth)


def _pack_other(value, kind: type, depth: int):
    if kind.__module__ == "minigpt.runtime.request" and kind.__name__ == "Request":
        state = (list(value.output_token_ids), value.num_computed_tokens, value.priority)
        return _tagged("request", [pack(value.request_id), *(pack(part, depth + 1) for part in state)])
    if kind.__module__ == "torch" and kind.__name__ in ("Tensor", "Parameter"):
        array = value.detach().cpu().contiguous().numpy()
        return _tagged("tensor", [str(array.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()])
    if kind.__module__ == "numpy":
        return pack(value.tolist(), depth + 1)
    return _tagged("unknown", kind.__name__[:100])


def _tagged(tag: str, value) -> dict:
    return {"$": tag, "v": value}


def unpack(plain, make_request=None):
    """The value of a plain form. `make_request(id, tokens, num_computed, priority)` gives requests their meaning on this side.

    Raises ChannelError on anything that `pack` cannot have made.
    """
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    if not isinstance(plain, dict) or plain.keys() != {"$", "v"}:
        raise ChannelError("a value was not in its plain form")
    tag, value = plain["$"], plain["v"]
    try:
        if tag in ("list", "tuple"):
            return {"list": list, "tuple": tuple}[tag](unpack(item, make_request) for item in value)
        if tag == "dict":
            return {unpack(k, make_request): unpack(v, make_request) for k, v in value}
        if tag == "float":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value]
        if tag == "unknown":
            return Unknown(str(value)[:200])
        if tag == "tensor":
            return _unpack_tensor(*value)
        if tag == "request" and make_request is not None:
            return make_request(*(unpack(part) for part in value))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ChannelError(f"a value with the tag {tag!r} was not in its plain form ({error})") from None
    raise ChannelError(f"a value had the tag {tag!r}, which is not used here")


def _unpack_tensor(dtype: str, shape: list, data: str):
    import numpy
    import torch

    if dtype not in ("float32", "float64", "int64", "int32", "bool", "int8", "uint8"):
        raise ValueError(f"dtype {dtype} is not used here")
    array = numpy.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape)
    return torch.from_numpy(array.copy())
