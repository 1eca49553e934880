"""Workload files: what is written comes back, a wrong line is named with its way out, other tools get their form."""

import json
import random

import pytest

from minigpt.cli import replay
from minigpt.cli import workload as workload_command
from minigpt.extras.load.workload_exports import FORMATS, export_workload
from minigpt.workloads.files import is_workload_file, read_workload, text_of, write_workload
from minigpt.workloads.workload import arriving, requests_of_lengths, tutor_requests, workload
from tests.unit.small import item, work

LINE = {"prompt": "fix: she go\n", "max_tokens": 8, "arrival_s": 0.5}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes a file of these lines (dicts become JSON) and returns its path."""
    monkeypatch.setenv("MINIGPT_LANG", "en")

    def write(*lines, encoding="utf-8", end="\n"):
        path = tmp_path / "mi carga.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_bytes("".join(text + end for text in texts).encode(encoding))
        return path

    return write


# -- there and back --------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [
    {"name": "mixed", "load": 0.7}, {"name": "mixed", "arrivals": "burst"},
    {"name": "uniform:3,40", "arrivals": "gamma:0.5", "rate_per_s": 30.0},
], ids=str)
def test_a_workload_comes_back_as_it_was(tmp_path, settings):
    wanted = workload(num_requests=80, seed=3, **settings)
    write_workload(wanted, tmp_path / "new folder" / "w.jsonl")
    found = read_workload(tmp_path / "new folder" / "w.jsonl")
    assert found.items == wanted.items and found.name == "w.jsonl"


def test_every_field_comes_back(tmp_path):
    wanted = work(item(0, priority=3, kind="fix", ignore_eos=True), item(7, arrival_ns=1, answer=None))
    write_workload(wanted, tmp_path / "w.jsonl")
    assert read_workload(tmp_path / "w.jsonl").items == wanted.items


def test_a_prompt_cut_inside_a_character_comes_back(tmp_path):
    wanted = work(item(0, prompt_token_ids=tuple("año".encode()[:2])))
    write_workload(wanted, tmp_path / "w.jsonl")
    assert "prompt" not in json.loads((tmp_path / "w.jsonl").read_text(encoding="utf-8"))
    assert read_workload(tmp_path / "w.jsonl").items == wanted.items
    assert (text_of(b"a\xc3"), text_of("añ".encode())) == (None, "añ")


def test_a_closed_loop_has_no_arrivals_to_write(tmp_path):
    with pytest.raises(ValueError, match="closed loop.*poisson"):
        write_workload(workload("mixed", arrivals="closed:4", num_requests=3), tmp_path / "w.jsonl")


# -- written by hand -------------------------------------------------------------------------------


def test_a_line_needs_little(file):
    [found] = read_workload(file(LINE)).items
    assert (found.request_id, found.max_tokens, found.arrival_ns) == (0, 8, 500_000_000)
    assert bytes(found.prompt_token_ids) == b"fix: she go\n"
    assert (found.answer, found.ignore_eos, found.priority, found.kind) == (None, False, 0, "")


def test_a_text_gets_the_end_of_its_line_and_ids_stay_as_they_are(file):
    bare = {**LINE, "prompt": "fix: she go"}
    with_ids = {**bare, "prompt_token_ids": [*b"fix: she go"]}
    assert [bytes(each.prompt_token_ids) for each in read_workload(file(bare, with_ids)).items] == [
        b"fix: she go\n", b"fix: she go"]


@pytest.mark.parametrize("layout", [{"encoding": "utf-8-sig"}, {"end": "\r\n"}, {"end": "\n\n"}], ids=str)
def test_a_file_may_come_from_another_editor(file, layout):
    assert len(read_workload(file(LINE, LINE, **layout)).items) == 2


def test_a_line_separator_inside_a_prompt_ends_no_line(file):
    row = json.dumps({**LINE, "prompt": "fix: a\u2028b"}, ensure_ascii=False)
    assert bytes(read_workload(file(row)).items[0].prompt_token_ids).decode() == "fix: a\u2028b\n"


def test_requests_are_put_in_order_of_arrival(file):
    found = read_workload(file(LINE, {**LINE, "arrival_s": 0}, {**LINE, "arrival_s": 0.2}))
    assert [each.request_id for each in found.items] == [1, 2, 0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{oops", "JSON=.*oops.*one JSON object per line"),
        ("[1, 2]", "one JSON object per line"),
        ("[" * 100_000, "one JSON object per line"),
        ({**LINE, "arival_s": 1}, "arival_s=1: there is no such field; these are: max_tokens, arrival_s"),
        ({**LINE, "prompt": None}, "prompt=None: give prompt .text. or prompt_token_ids"),
        ({**LINE, "prompt": 7}, "prompt=7: write it as \"…\""),
        ({**LINE, "prompt": ""}, "prompt is empty"),
        ({**LINE, "prompt": "\ud800"}, "prompt=.*surrogate"),
        ({**LINE, "prompt": "a" * 1100}, "context holds 1024"),
        ({**LINE, "prompt_token_ids": [1, 2]}, "not the bytes of prompt; leave one of the two out"),
        ({**LINE, "prompt_token_ids": [1, 256]}, "prompt_token_ids=256: .*from 0 to 255"),
        ({**LINE, "prompt_token_ids": [True]}, "prompt_token_ids=True"),
        ({**LINE, "prompt_token_ids": "abc"}, "prompt_token_ids='abc'"),
        ({**LINE, "answer_token_ids": [-1]}, "answer_token_ids=-1"),
        ({**LINE, "max_tokens": 0}, "max_tokens=0: give a whole number ≥ 1"),
        ({**LINE, "max_tokens": 1.5}, "max_tokens=1.5"),
        ({**LINE, "max_tokens": None}, "max_tokens=None"),
        ({**LINE, "arrival_s": -1}, "arrival_s=-1: give seconds"),
        ({**LINE, "arrival_s": "soon"}, "arrival_s='soon'"),
        ({**LINE, "arrival_s": None}, "arrival_s=None"),
        ('{"prompt": "a", "max_tokens": 1, "arrival_s": NaN}', "arrival_s=nan"),
        ('{"prompt": "a", "max_tokens": 1, "arrival_s": 1e999}', "arrival_s=inf"),
        ({**LINE, "arrival_s": True}, "arrival_s=True"),
        ({**LINE, "ignore_eos": "yes"}, "ignore_eos='yes': write it as true / false"),
        ({**LINE, "priority": 0.5}, "priority=0.5"),
        ({**LINE, "kind": 3}, "kind=3"),
        ({**LINE, "request_id": -1}, "request_id=-1"),
        ({**LINE, "request_id": 0}, "request_id=0: line 1 has it too"),
    ],
)
def test_a_wrong_line_is_named_with_field_value_and_way_out(file, line, words):
    with pytest.raises(ValueError, match=f"mi carga.jsonl, line 3: .*{words}"):
        read_workload(file(LINE, "", line))


def test_a_long_value_is_shown_in_part(file):
    with pytest.raises(ValueError) as caught:
        read_workload(file({**LINE, "kind": ["x"] * 1000}))
    assert len(str(caught.value)) < 250


def test_mistakes_are_said_in_spanish(file, monkeypatch):
    path = file({**LINE, "max_tokens": 0})
    monkeypatch.setenv("MINIGPT_LANG", "es")
    with pytest.raises(ValueError, match="línea 1: max_tokens=0: escribe un número entero ≥ 1"):
        read_workload(path)


def test_a_file_that_is_not_there_or_empty_or_no_text(file, tmp_path):
    with pytest.raises(ValueError, match="nowhere.jsonl.*no such file.*--out nowhere.jsonl"):
        read_workload(tmp_path / "nowhere.jsonl")
    with pytest.raises(ValueError, match="no requests"):
        read_workload(file(""))
    with pytest.raises(ValueError, match="not UTF-8"):
        read_workload(file('{"prompt": "año"}', encoding="latin-1"))


# -- for other tools -------------------------------------------------------------------------------


def exported(requests, kind, path):
    notes = export_workload(requests, kind, path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], " ".join(notes)


@pytest.fixture
def requests():
    """Two tutor requests, at 0 and 250 ms."""
    return arriving(tutor_requests(2, random.Random(0)), [0.0, 0.25], "two")


def test_aiperf_gets_text_limits_and_arrivals_in_milliseconds(requests, tmp_path):
    rows, notes = exported(requests, "mooncake_trace", tmp_path / "w.jsonl")
    assert [list(row) for row in rows] == [["timestamp", "text_input", "output_length"]] * 2
    assert [row["timestamp"] for row in rows] == [0, 250]
    assert [row["text_input"] for row in rows] == [text_of(each.prompt_token_ids) for each in requests.items]
    assert [row["output_length"] for row in rows] == [128, 128]
    assert notes == ""


def test_guidellm_gets_the_length_of_the_answer_since_it_ignores_eos(requests, tmp_path):
    rows, notes = exported(requests, "guidellm", tmp_path / "w.jsonl")
    assert [list(row) for row in rows] == [["prompt", "output_tokens_count", "relative_timestamp"]] * 2
    assert [row["output_tokens_count"] for row in rows] == [len(each.answer) for each in requests.items]
    assert [row["relative_timestamp"] for row in rows] == [0.0, 0.25]  # seconds
    assert notes == ""
    unknown, _ = exported(work(item(0, answer=None, max_tokens=9)), "guidellm", tmp_path / "w.jsonl")
    assert unknown[0]["output_tokens_count"] == 9


def test_vllm_gets_prompt_and_limit(requests, tmp_path):
    rows, notes = exported(requests, "vllm", tmp_path / "w.jsonl")
    assert [list(row) for row in rows] == [["prompt", "output_tokens"]] * 2
    assert [row["output_tokens"] for row in rows] == [128, 128] and "arrivals" in notes


def test_what_a_format_does_not_carry_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    cut = work(item(0, prompt_token_ids=(0xC3,), ignore_eos=True), item(1, ignore_eos=True))
    _, notes = exported(cut, "mooncake_trace", tmp_path / "w.jsonl")
    assert "1 prompts are cut" in notes and "2 requests ignore EOS: pass --extra-inputs ignore_eos:true" in notes
    assert "pass --ignore-eos" in exported(cut, "vllm", tmp_path / "w.jsonl")[1]
    assert "EOS" not in exported(cut, "guidellm", tmp_path / "w.jsonl")[1]


def test_a_closed_loop_goes_only_where_arrivals_are_not_asked_for(tmp_path):
    closed = workload("mixed", arrivals="closed:4", num_requests=3)
    with pytest.raises(ValueError, match="closed loop"):
        export_workload(closed, "mooncake_trace", tmp_path / "w.jsonl")
    for kind in FORMATS:
        if kind != "mooncake_trace":
            rows, notes = exported(closed, kind, tmp_path / "w.jsonl")
            assert len(rows) == 3 and "relative_timestamp" not in rows[0]
            assert "arrivals" in notes  # what the file does not hold is said


# -- on the command line ---------------------------------------------------------------------------


def test_the_command_writes_a_workload_and_turns_it_into_another_form(tmp_path, capsys):
    first, second = str(tmp_path / "w.jsonl"), str(tmp_path / "m.jsonl")
    assert workload_command.main(["--rate", "20", "--num", "12", "--seed", "4", "--out", first]) == 0
    assert read_workload(first).items == workload("mixed", rate_per_s=20.0, num_requests=12, seed=4).items
    assert workload_command.main(["--workload", first, "--format", "mooncake_trace", "--out", second]) == 0
    assert len((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines()) == 12
    assert "12" in capsys.readouterr().out


def test_a_replay_reads_the_file(tmp_path, capsys):
    path = tmp_path / "w.jsonl"
    settings = ["--impl", "solution", "--tokens", "scripted", "--json"]
    workload_command.main(["--load", "0.7", "--num", "40", "--out", str(path)])
    replay.main(["--load", "0.7", "--num", "40", *settings, str(tmp_path / "by name.json")])
    replay.main(["--workload", str(path), *settings, str(tmp_path / "by file.json")])
    by_name, by_file = ((tmp_path / f"by {kind}.json").read_text(encoding="utf-8") for kind in ("name", "file"))
    assert by_name == by_file and capsys.readouterr().out


@pytest.mark.parametrize("option", [
    ["--num", "3"], ["--rate", "5"], ["--load", "0.5"], ["--seed", "0"], ["--arrivals", "burst"], ["--trace", "t.csv"],
    ["--length-factor", "1"],
])
def test_an_option_that_a_file_makes_void_is_refused(file, option, tmp_path):
    with pytest.raises(ValueError, match=f"{option[0]} {option[1]}.*--workload .*mi carga.jsonl"):
        workload_command.main(["--workload", str(file(LINE)), *option, "--out", str(tmp_path / "o.jsonl")])


def test_a_file_to_write_needs_its_ending(tmp_path):
    with pytest.raises(ValueError, match=r"--out .*w.json: .*\.jsonl"):
        workload_command.main(["--num", "3", "--out", str(tmp_path / "w.json")])
    assert is_workload_file("A.JSONL") and not is_workload_file("mixed")


def test_lengths_without_eos_are_sent_as_such(tmp_path):
    write_workload(arriving(requests_of_lengths([3], random.Random(0)), [0.0], "x"), tmp_path / "w.jsonl")
    assert json.loads((tmp_path / "w.jsonl").read_text(encoding="utf-8"))["ignore_eos"] is True
