"""Production traces: what was scaled is said, and a bad row is named by its line, never dropped silently."""

import gzip
import re

import pytest

from minigpt.workloads.traces import read_rows, trace_workload
from minigpt.workloads.workload import CONTEXT
from tests.unit.small import MS

HEAD = "TIMESTAMP,ContextTokens,GeneratedTokens"
DAY = "2023-11-16 18:15"


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture
def trace(tmp_path):
    """Writes a trace of these lines and returns its path."""

    def write(*lines, head=HEAD, encoding="utf-8", end="\n"):
        path = tmp_path / "a trace.csv"
        path.write_bytes("".join(line + end for line in (head, *lines)).encode(encoding))
        return path

    return write


def good(second, prompt=10, output=5):
    return f"{DAY}:{second:010.7f},{prompt},{output}"


# -- rows ------------------------------------------------------------------------------------------


def test_rows_count_time_from_the_first(trace):
    rows, bad_rows = read_rows(trace(good(46.68059), good(50.995169, 396, 109)))
    assert rows == [(0.0, 10, 5), (pytest.approx(4.314579), 396, 109)]
    assert bad_rows == []


def test_rows_are_put_in_order_of_time(trace):
    rows, _ = read_rows(trace(good(9, 1), good(3, 2), good(5, 3)))
    assert rows == [(0.0, 2, 5), (2.0, 3, 5), (6.0, 1, 5)]


@pytest.mark.parametrize(
    "layout",
    [{"encoding": "utf-8-sig"}, {"end": "\r\n"}, {"head": "Id,GeneratedTokens,TIMESTAMP,ContextTokens"}],
    ids=["byte-order mark", "Windows line ends", "other columns"],
)
def test_a_trace_may_come_in_another_layout(trace, layout):
    line = f"77,5,{DAY}:03,10" if "head" in layout else good(3)
    assert read_rows(trace(line, **layout)) == ([(0.0, 10, 5)], [])


@pytest.mark.parametrize("stamp", [f"{DAY}:03", f"{DAY}:03.0000000", f"{DAY}:03.000000+00:00", f"{DAY}:03+00:00",
                                   f"{DAY}:03.000000Z", " 2023-11-16T18:15:03 "])
def test_every_form_of_time_in_the_public_traces_is_read_beside_the_others(trace, stamp):
    # The trace of 2024 writes its zone, and leaves a fraction of 0 out.
    rows, bad_rows = read_rows(trace(f"{stamp},10,5", f"{DAY}:04.500000+00:00,20,6", good(5)))
    assert (rows, bad_rows) == ([(0.0, 10, 5), (1.5, 20, 6), (2.0, 10, 5)], [])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("yesterday,10,5", "yesterday"),
        (f"{DAY}:03,ten,5", "ten"),
        (f"{DAY}:03,10,", "line 3"),
        (f"{DAY}:03,10", "line 3"),
        (f"{DAY}:03", "line 3"),
        (f"{DAY}:03,0,5", "ContextTokens=0"),
        (f"{DAY}:03,10,-1", "GeneratedTokens=-1"),
        (f"{DAY}:03,10.5,5", "10.5"),
        (f"{DAY}:03,inf,5", "inf"),
        (f"{DAY}:61,10,5", "second must be"),
        ("1e400,10,5", "1E+400 is not a time"),
        (f"{DAY}:03,1e400,5", "1e400 is not a number of tokens"),
        (f"{DAY}:03,10,999999999999999999999", "is not a number of tokens"),
        (f'{DAY}:03,"10,5', "line 3"),
    ],
)
def test_a_bad_row_is_reported_by_its_line(trace, line, words):
    rows, bad_rows = read_rows(trace(good(1), line, good(5)))
    assert len(rows) == 2
    assert len(bad_rows) == 1 and bad_rows[0].startswith("line 3: ") and words in bad_rows[0]


def test_a_short_row_is_bad_wherever_its_columns_stand(trace):
    path = trace("10,5", f"10,5,{DAY}:03", head="ContextTokens,GeneratedTokens,TIMESTAMP")
    rows, bad_rows = read_rows(path)
    assert rows == [(0.0, 10, 5)]
    assert len(bad_rows) == 1 and bad_rows[0].startswith("line 2: ")


@pytest.mark.parametrize(
    ("head", "missing"),
    [("TIMESTAMP,ContextTokens", "GeneratedTokens"), ("a,b", "TIMESTAMP, ContextTokens, GeneratedTokens"), ("", "TIMESTAMP")],
)
def test_a_missing_column_is_named(trace, head, missing):
    with pytest.raises(ValueError, match=f"a trace.csv.*no column {missing}.*it needs TIMESTAMP"):
        read_rows(trace(good(1), head=head))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere.csv.*no such file"):
        read_rows(tmp_path / "nowhere.csv")


def test_a_trace_of_a_head_alone_says_so(trace):
    with pytest.raises(ValueError, match="no usable row .there are no rows at all"):
        read_rows(trace())


def test_a_trace_without_a_good_row_says_what_is_wrong(trace):
    with pytest.raises(ValueError, match="no usable row.*line 2.*line 3"):
        read_rows(trace("x,1,1", "y,1,1"))
    with pytest.raises(ValueError, match="no usable row"):
        read_rows(trace())


# -- what real files hold --------------------------------------------------------------------------


def times(path):
    rows, bad_rows = read_rows(path)
    assert bad_rows == []
    return [time for time, _, _ in rows]


def test_offsets_are_read(trace):
    """Three rows a second apart, in three zones, used to arrive at 0, 2 and 7201 s."""
    path = trace(f"{DAY}:00+00:00,10,5", "2023-11-16 20:15:01+02:00,10,5", "2023-11-16T13:15:02-0500,10,5")
    assert times(path) == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("digits", range(1, 10))
def test_fractions_of_a_second_are_read_whatever_their_length(trace, digits):
    fraction = "123456789"[:digits]
    path = trace(f"{DAY}:00,10,5", f"{DAY}:01.{fraction},10,5", f"{DAY}:02.{fraction}Z,10,5")
    assert times(path) == [0.0, pytest.approx(float(f"1.{fraction}"), abs=1e-12), pytest.approx(float(f"2.{fraction}"))]


def test_a_stray_quote_costs_its_own_row(trace):
    lines = [good(second) for second in range(45)]
    lines[4] = lines[4].replace(",10", ',"10')
    rows, bad_rows = read_rows(trace(*lines))
    assert len(rows) == 44 and len(bad_rows) == 1 and bad_rows[0].startswith("line 6")


def test_quoted_and_pandas_numbers_are_numbers(trace):
    assert read_rows(trace(f'"{DAY}:03","300.0","44"')) == ([(0.0, 300, 44)], [])


@pytest.mark.parametrize("scale, digits", [(1, 3), (10**3, 0), (10**6, 0), (10**9, 0)])
def test_numeric_timestamps_may_count_from_1970_in_any_unit(trace, scale, digits):
    path = trace(*(f"{(1_700_000_000 + second) * scale:.{digits}f},10,5" for second in (0, 2, 3)))
    assert times(path) == [0.0, 2.0, 3.0]


def test_burstgpt_is_read(trace):
    path = trace("5,ChatGPT,472,18,490,Conversation log", "45.5,GPT-4,1087,230,1317,API log", "60,GPT-4,10,0,10,API log",
                 head="Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type")
    rows, bad_rows = read_rows(path)
    assert rows == [(0.0, 472, 18), (40.5, 1087, 230)] and len(bad_rows) == 1 and "line 4" in bad_rows[0]


def test_mooncake_is_read(trace):
    path = trace('{"timestamp": 3500, "input_length": 20, "output_length": 4, "hash_ids": [1, 2]}', "{", '{"a": 1}',
                 '{"timestamp": "x", "input_length": 20, "output_length": 4}', '{"timestamp": 1e400, "input_length": 2, "output_length": 4}',
                 head='{"timestamp": 500, "input_length": 6955, "output_length": 52, "hash_ids": [46]}')
    rows, bad_rows = read_rows(path)
    assert rows == [(0.0, 6955, 52), (3.0, 20, 4)]
    assert [each[:7] for each in bad_rows] == ["line 3:", "line 4:", "line 5:", "line 6:"]
    assert "'x' is not a time in numbers" in bad_rows[2] and "Infinity is not a time" in bad_rows[3]


@pytest.mark.parametrize("kind", ["mooncake_trace", "guidellm"])
def test_our_own_exports_come_back(tmp_path, kind):
    from minigpt.extras.load.workload_exports import export_workload
    from minigpt.workloads.files import read_workload
    from minigpt.workloads.workload import workload

    wanted, path = workload("mixed", num_requests=20, rate_per_s=5.0, seed=3), tmp_path / "w.jsonl"
    export_workload(wanted, kind, path)
    found = read_workload(path)
    assert [each.prompt_token_ids for each in found.items] == [each.prompt_token_ids for each in wanted.items]
    gaps = [abs(a.arrival_ns - b.arrival_ns) for a, b in zip(found.items, wanted.items, strict=True)]
    assert max(gaps) <= 1
    rows, bad_rows = read_rows(path)
    assert bad_rows == [] and [row[1] for row in rows] == [len(each.prompt_token_ids) for each in wanted.items]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_other_encodings_are_read(trace, encoding):
    path = trace(f"{DAY}:03,10,5,año", f"{DAY}:05,20,6,ñu", head=HEAD + ",Año", encoding=encoding)
    assert read_rows(path) == ([(0.0, 10, 5), (2.0, 20, 6)], [])


def test_gzip_is_read_and_other_packers_are_named(trace, tmp_path):
    packed = tmp_path / "trace.csv.gz"
    packed.write_bytes(gzip.compress(trace(good(1), good(3)).read_bytes()))
    assert [time for time, _, _ in read_rows(packed)[0]] == [0.0, 2.0]
    packed.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(ValueError, match="is a ZIP file: unpack it first"):
        read_rows(packed)


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:30] + b"junk", lambda data: data[:2] + b"junk"])
def test_a_damaged_gzip_file_is_said_in_one_line(tmp_path, damage):
    packed = tmp_path / "trace.csv.gz"
    packed.write_bytes(damage(gzip.compress("\n".join([HEAD, *(good(i % 60) for i in range(300))]).encode())))
    with pytest.raises(ValueError, match="is damaged or incomplete .*: get it again"):
        read_rows(packed)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheets_separators_are_read(trace, separator):
    """Where a comma is the decimal sign, spreadsheets export semicolons."""
    lines = [line.replace(",", separator) for line in (good(1), good(3, prompt=20))]
    assert read_rows(trace(*lines, head=HEAD.replace(",", separator))) == ([(0.0, 10, 5), (2.0, 20, 5)], [])


def test_no_more_is_read_than_is_needed(trace):
    """Of 27 million rows the first hundred: what comes after them does not even have to be a row."""
    path = trace(*(good(second % 60) for second in range(200)), *["nonsense"] * 100_000)
    rows, bad_rows = read_rows(path, 100)
    assert (len(rows), bad_rows) == (100, [])
    assert len(trace_workload(path, num_requests=100).items) == 100


@pytest.mark.parametrize("too_long, num, note", [
    ("scale", 200, "lengths × 0.01022"), ("cap", 200, "lengths × 1 .*; 1 were shortened to fit"),
    ("drop", 199, "lengths × 1 .*; 1 were left out"),
])
def test_one_outlier_need_not_shrink_all_others(trace, too_long, num, note):
    path = trace(*(good(second % 60, 300, 40) for second in range(199)), good(59, 99_000, 1_000))
    found = trace_workload(path, too_long=too_long)
    lengths = [len(each.prompt_token_ids) + each.max_tokens for each in found.items]
    assert len(lengths) == num and max(lengths) <= CONTEXT
    assert (lengths.count(340) == 199) == (too_long != "scale")
    assert re.search(note, found.notes[0])


@pytest.mark.parametrize("arrivals", ["poisson", "burst", "gamma:0.5", "closed:4"])
def test_a_trace_may_be_a_pool_of_lengths(trace, arrivals):
    path = trace(good(1, 300, 40), good(2, 20, 7))
    rate = {} if arrivals.startswith(("burst", "closed")) else {"rate_per_s": 10.0}
    found = trace_workload(path, arrivals=arrivals, num_requests=400, seed=2, **rate)
    lengths = [(len(each.prompt_token_ids), each.max_tokens) for each in found.items]
    assert len(lengths) == 400 and set(lengths) == {(300, 40), (20, 7)} and 150 < lengths.count((20, 7)) < 250
    assert f"arrivals {arrivals}" in found.notes[0]
    if rate:
        assert found.items[-1].arrival_ns / 1e9 == pytest.approx(40, rel=0.3)
    assert trace_workload(path, arrivals=arrivals, num_requests=400, seed=2, **rate) == found


def test_a_rate_for_requests_of_one_moment_is_refused(trace):
    with pytest.raises(ValueError, match="come at the same moment"):
        trace_workload(trace(good(1), good(1)), rate_per_s=5.0)


# -- workloads -------------------------------------------------------------------------------------


def test_a_trace_that_fits_is_taken_as_it_is(trace):
    found = trace_workload(trace(good(1, 300, 40), good(2.5, 20, 7)))
    assert [(len(each.prompt_token_ids), each.max_tokens, each.arrival_ns) for each in found.items] == [
        (300, 40, 0), (20, 7, 1_500 * MS)]
    assert (found.name, found.notes) == (
        "a trace.csv",
        ("2 requests; lengths × 1 (the longest had 340 tokens), time × 1",),
    )


def test_longer_lengths_are_scaled_by_one_factor_that_is_said(trace):
    found = trace_workload(trace(good(1, 4000, 88), good(2, 400, 400), good(3, 1, 1)))
    assert [(len(each.prompt_token_ids), each.max_tokens) for each in found.items] == [
        (1000, 22),
        (100, 100),
        (1, 1),
    ]
    assert "3 requests; lengths × 0.25 (the longest had 4088 tokens)" in found.notes[0]


def test_what_is_rounded_up_to_one_token_still_fits(trace):
    found = trace_workload(trace(good(1, 100_000, 1), good(2, 1, 100_000)))
    assert max(len(each.prompt_token_ids) + each.max_tokens for each in found.items) <= CONTEXT


def test_a_given_factor_is_used(trace):
    found = trace_workload(trace(good(1, 300, 40), good(2, 20, 9)), length_factor=0.1)
    assert [(len(each.prompt_token_ids), each.max_tokens) for each in found.items] == [(30, 4), (2, 1)]
    assert "lengths × 0.1 " in found.notes[0]


def test_time_is_scaled_to_the_rate_asked_for(trace):
    found = trace_workload(trace(good(1), good(3), good(5)), rate_per_s=10.0)
    assert [each.arrival_ns for each in found.items] == [0, 100 * MS, 200 * MS]  # 2 gaps in 0.2 s
    assert "time × 0.05" in found.notes[0]


def test_the_first_requests_may_be_taken_alone(trace):
    found = trace_workload(trace(*(good(second) for second in range(1, 9))), num_requests=3)
    assert [each.arrival_ns for each in found.items] == [0, 1_000 * MS, 2_000 * MS]
    assert "3 requests" in found.notes[0]


def test_bad_rows_are_counted_and_the_first_of_them_named(trace):
    bad = [f"{DAY}:{second:02},0,1" for second in range(10, 17)]
    note = trace_workload(trace(good(1), *bad)).notes[1]
    assert note.startswith("7 bad rows left out: line 3: ")
    assert "line 7: " in note and "line 8: " not in note and note.endswith("; and 2 more")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"length_factor": 0}, "length_factor=0"),
        ({"length_factor": -1.0}, "length_factor=-1.0"),
        ({"length_factor": 100}, "1500 tokens|1500"),
        ({"rate_per_s": 0}, "rate_per_s=0"),
        ({"rate_per_s": -2.0}, "rate_per_s=-2.0"),
        ({"num_requests": 0}, "num_requests=0"),
        ({"num_requests": -1}, "num_requests=-1"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_refused_by_name(trace, settings, words):
    with pytest.raises(ValueError, match=words):
        trace_workload(trace(good(1), good(2)), **settings)
