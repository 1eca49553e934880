"""Reading production traces: when requests came and how long they were, row by row.

    Azure 2023/2024   CSV     TIMESTAMP, ContextTokens, GeneratedTokens      (Patel et al., Splitwise, ISCA 2024;
                                                                              Stojkovic et al., DynamoLLM, HPCA 2025)
    BurstGPT          CSV     Timestamp, Request tokens, Response tokens     (Wang et al., KDD 2025)
    Mooncake          JSONL   timestamp (ms), input_length, output_length    (Qin et al., FAST 2025)

and the output of `python -m minigpt workload --format …`. Columns may stand in any order and case. A file may be
compressed with gzip, and written in UTF-8, UTF-16 or Latin-1: the columns that count are digits in each of them. Between
them stands a comma, or the semicolon or tab of a spreadsheet.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from minigpt.language import say
from minigpt.llm.tokenizer import encode

NS = 1_000_000_000
COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
CSV_FORMS = (COLUMNS, ("Timestamp", "Request tokens", "Response tokens"))
SEPARATORS = ",;\t"
MOST_TOKENS, MOST_NS = 10**9, 10**20  # beyond them a cell is a slip: no context is that long, and no clock that late
PACKED = {b"PK\x03\x04": "ZIP", b"PAR1": "Parquet", b"\xfd7zX": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
STAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?\s*(?:(Z|z)|([+-])(\d\d):?(\d\d)?)?$"
)
# A number this large is not in seconds since some start or 1970, but in thousandths, millionths or billionths of them.
UNITS = ((Decimal(10) ** 11, NS), (Decimal(10) ** 14, NS // 10**3), (Decimal(10) ** 17, NS // 10**6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One request of a trace."""

    time_ns: int  # since 1970, or since some start
    offset_ns: int | None  # of its time zone; None: not given
    num_prompt_tokens: int
    num_output_tokens: int


@dataclass(slots=True, kw_only=True)
class Rows:
    """What was read: the good rows and a line on each bad one."""

    good: list[Row] = field(default_factory=list)
    bad_rows: list[str] = field(default_factory=list)


def read_trace(path: Path, most: int | None = None) -> Rows:
    """The first `most` good rows (None: all); no more of the file is read than they take.

    Raises ValueError if the file or a column is missing, or no row is good.
    """
    path, found = Path(path), Rows()
    with undamaged(path), open_text(path) as file:
        for number, parse in _parsers(file, path):
            try:
                found.good.append(parse())
            except (TypeError, ValueError, ArithmeticError) as error:
                found.bad_rows.append(f"{say(en='line', es='línea')} {number}: {error}")
            if len(found.good) == most:
                break
    if not found.good:
        bad_rows = "; ".join(found.bad_rows[:5]) or say(en="there are no rows at all", es="no hay ni una fila")
        raise ValueError(say(en=f"trace={str(path)!r} has no usable row", es=f"trace={str(path)!r} no tiene ninguna fila "
                                                                             "utilizable")
                         + f" ({bad_rows})")
    return found


@contextmanager
def undamaged(path: Path):
    """In here, a compressed file that is cut or broken is a ValueError: what it would leave out is not known."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(say(en=f"trace={str(path)!r} is damaged or incomplete ({error}): get it again",
                             es=f"trace={str(path)!r} está dañado o incompleto ({error}): consíguelo de nuevo")) from None


def open_text(path: Path):
    """A text file in any of the encodings, compressed or not; ValueError names an archive that is not supported."""
    if not path.is_file():
        raise ValueError(say(en=f"trace={str(path)!r}: there is no such file", es=f"trace={str(path)!r}: no existe ese archivo"))
    opener = gzip.open if path.open("rb").read(2) == b"\x1f\x8b" else open
    with opener(path, "rb") as file:
        start = file.read(4)
    for mark, name in PACKED.items():
        if start.startswith(mark):
            raise ValueError(say(en=f"trace={str(path)!r} is a {name} file: unpack it first (gzip can be read as it is)",
                                 es=f"trace={str(path)!r} es un archivo {name}: descomprímelo (gzip sí se lee tal cual)"))
    return opener(path, "rt", encoding=_encoding(start), errors="replace", newline="")


def _encoding(start: bytes) -> str:
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if start[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if start[:1] == b"\0" else "utf-8-sig"


def _parsers(file, path: Path) -> Iterator[tuple]:
    """For each row its line number and what parses it."""
    lines = ((number, line) for number, line in enumerate(file, 1) if line.strip())
    number, first = next(lines, (1, ""))
    if first.lstrip().startswith("{"):
        yield number, lambda: _json_row(first)
        for number, line in lines:
            yield number, lambda line=line: _json_row(line)
        return
    separator = max(SEPARATORS, key=first.count)
    places = _places(next(csv.reader([first], delimiter=separator), []), path)
    for number, line in lines:
        yield number, lambda line=line: _csv_row(line, separator, places)


# -- CSV ----------------------------------------------------------------------------------------------------------


def _places(header: list[str], path: Path) -> tuple[int, ...]:
    """Where time, prompt and output stand."""
    names = [name.strip().lower() for name in header]
    for form in CSV_FORMS:
        if all(column.lower() in names for column in form):
            return tuple(names.index(column.lower()) for column in form)
    missing = ", ".join(column for column in COLUMNS if column.lower() not in names)
    needed = " / ".join(", ".join(form) for form in CSV_FORMS)
    raise ValueError(say(en=f"trace={str(path)!r} has no column {missing}: it needs {needed}",
                         es=f"trace={str(path)!r} no tiene la columna {missing}: necesita {needed}"))


def _csv_row(line: str, separator: str, places: tuple[int, ...]) -> Row:
    # Line by line: a stray quote would otherwise swallow all rows up to the next one.
    cells = next(csv.reader([line], delimiter=separator))
    if len(cells) <= max(places):
        raise ValueError(say(en="the row is too short", es="la fila es demasiado corta"))
    stamp, prompt, output = (cells[place].strip().strip('"') for place in places)
    return _row(*_time(stamp), _whole(prompt), _whole(output))


def _time(stamp: str) -> tuple[int, int | None]:
    """Nanoseconds and the zone's offset, of a number or a date."""
    try:
        return _number_ns(Decimal(stamp)), None
    except InvalidOperation:
        pass
    found = STAMP.fullmatch(stamp)
    if not found:
        raise ValueError(say(en=f"{stamp!r} is not a time, such as 2023-11-16 18:15:46.68 or 46.68",
                             es=f"{stamp!r} no es una hora, como 2023-11-16 18:15:46.68 o 46.68"))
    day, clock, fraction, utc, sign, hours, minutes = found.groups()
    passed = datetime.fromisoformat(f"{day}T{clock}") - datetime(1970, 1, 1)
    time_ns = (passed.days * 86_400 + passed.seconds) * NS + int((fraction or "").ljust(9, "0"))
    if not sign:
        return time_ns, 0 if utc else None
    offset_ns = (int(hours) * 3_600 + int(minutes or 0) * 60) * NS
    return time_ns, -offset_ns if sign == "-" else offset_ns


def _number_ns(value: Decimal) -> int:
    return _in_time(value, next((unit for limit, unit in UNITS if abs(value) < limit), 1))


def _in_time(value, unit: int) -> int:
    """A number of units in nanoseconds."""
    try:
        value = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(say(en=f"{value!r} is not a time in numbers", es=f"{value!r} no es una hora en números")) from None
    if not value.is_finite() or abs(value) > MOST_NS // unit:
        raise ValueError(say(en=f"{value} is not a time", es=f"{value} no es una hora"))
    return round(value * unit)


def _whole(text) -> int:
    """A number of tokens; 300.0 is how pandas writes 300 in a column with empty cells."""
    try:
        value = Decimal(str(text))
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite() or abs(value) > MOST_TOKENS or value != value.to_integral_value():
        raise ValueError(say(en=f"{text} is not a number of tokens", es=f"{text} no es un número de tokens"))
    return int(value)


def _row(time_ns: int, offset_ns: int | None, prompt: int, output: int) -> Row:
    if prompt < 1 or output < 1:
        raise ValueError(say(en=f"ContextTokens={prompt}, GeneratedTokens={output}: both must be at least 1",
                             es=f"ContextTokens={prompt}, GeneratedTokens={output}: deben ser al menos 1"))
    return Row(time_ns=time_ns, offset_ns=offset_ns, num_prompt_tokens=prompt, num_output_tokens=output)


# -- JSON lines ---------------------------------------------------------------------------------------------------


def _json_row(line: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(say(en="not a JSON object", es="no es un objeto JSON")) from None
    if not isinstance(row, dict):
        raise ValueError(say(en="not a JSON object", es="no es un objeto JSON"))
    if "timestamp" in row and "output_length" in row:  # Mooncake, and aiperf's form of it: milliseconds
        prompt = row["input_length"] if "input_length" in row else len(encode(str(row.get("text_input", ""))))
        return _row(_in_time(row["timestamp"], NS // 1000), None, _whole(prompt), _whole(row["output_length"]))
    if "relative_timestamp" in row and "output_tokens_count" in row:  # guidellm's
        prompt = len(encode(str(row.get("prompt", ""))))
        return _row(_in_time(row["relative_timestamp"], NS), None, prompt, _whole(row["output_tokens_count"]))
    raise ValueError(say(en="needs timestamp, input_length and output_length",
                         es="necesita timestamp, input_length y output_length"))
