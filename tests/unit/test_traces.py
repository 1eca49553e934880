"""Production traces: what was scaled is said, and a bad row is named by its line, never dropped silently."""

import pytest

from minigpt.workloads.traces import read_rows, trace_workload
from minigpt.workloads.workload import CONTEXT
from tests.unit.small import MS

HEAD = "TIMESTAMP,ContextTokens,GeneratedTokens"
DAY = "2023-11-16 18:15"


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
    rows, faults = read_rows(trace(good(46.68059), good(50.995169, 396, 109)))
    assert rows == [(0.0, 10, 5), (pytest.approx(4.314579), 396, 109)]
    assert faults == []


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
                                   f"{DAY}:03.000000Z", " 2023-11-16T18:15:03 "])  # fmt: skip
def test_every_form_of_time_in_the_public_traces_is_read_beside_the_others(trace, stamp):
    # The trace of 2024 writes its zone, and leaves a fraction of 0 out.
    rows, faults = read_rows(trace(f"{stamp},10,5", f"{DAY}:04.500000+00:00,20,6", good(5)))
    assert (rows, faults) == ([(0.0, 10, 5), (1.5, 20, 6), (2.0, 10, 5)], [])


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
    ],
)
def test_a_bad_row_is_reported_by_its_line(trace, line, words):
    rows, faults = read_rows(trace(good(1), line, good(5)))
    assert len(rows) == 2
    assert len(faults) == 1 and faults[0].startswith("line 3: ") and words in faults[0]


def test_a_short_row_is_bad_wherever_its_columns_stand(trace):
    path = trace("10,5", f"10,5,{DAY}:03", head="ContextTokens,GeneratedTokens,TIMESTAMP")
    rows, faults = read_rows(path)
    assert rows == [(0.0, 10, 5)]
    assert len(faults) == 1 and faults[0].startswith("line 2: ")


@pytest.mark.parametrize(
    ("head", "missing"),
    [("TIMESTAMP,ContextTokens", "GeneratedTokens"), ("timestamp,ContextTokens,GeneratedTokens", "TIMESTAMP"),
     ("a,b", "TIMESTAMP, ContextTokens, GeneratedTokens"), ("", "TIMESTAMP")],
)  # fmt: skip
def test_a_missing_column_is_named(trace, head, missing):
    with pytest.raises(ValueError, match=f"a trace.csv.*no column {missing}.*it needs TIMESTAMP"):
        read_rows(trace(good(1), head=head))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere.csv.*no such file"):
        read_rows(tmp_path / "nowhere.csv")


def test_a_trace_without_a_good_row_says_what_is_wrong(trace):
    with pytest.raises(ValueError, match="no good row.*line 2.*line 3"):
        read_rows(trace("x,1,1", "y,1,1"))
    with pytest.raises(ValueError, match="no good row"):
        read_rows(trace())


# -- workloads -------------------------------------------------------------------------------------


def test_a_trace_that_fits_is_taken_as_it_is(trace):
    found = trace_workload(trace(good(1, 300, 40), good(2.5, 20, 7)))
    assert [(len(each.prompt_token_ids), each.max_tokens, each.arrival_ns) for each in found.items] == [
        (300, 40, 0), (20, 7, 1_500 * MS)]  # fmt: skip
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
