"""`python -m minigpt plan`: a fleet, and a trial of it."""

import json

import pytest

from minigpt.cli import plan as command
from minigpt.simulation import fleet, planner

LENGTHS = fleet.request_lengths("uniform:1,63", 400, seed=2)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture
def trace(tmp_path):
    """Sixty requests, half a second apart, each of 20 prompt tokens and 10 output tokens."""
    path = tmp_path / "traza año.csv"
    rows = [f"2023-11-16 18:15:{i // 2:02}.{i % 2 * 5}000000,20,10" for i in range(60)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_plan_meets_its_target_and_one_replica_fewer_does_not():
    plan = planner.make_plan(LENGTHS, 890.0, 0.072, 64)
    assert plan.num_met == len(plan.p95_ms) == 5
    assert min(plan.p95_one_fewer_ms) > plan.p95_target_ms == 72
    assert plan.num_replicas * plan.capacity_per_s > 890
    assert plan.load_percent == pytest.approx(100 * 890 / plan.num_replicas / plan.capacity_per_s)
    longest = max(prompt + steps for prompt, steps in LENGTHS)
    assert plan.kv_mib == pytest.approx(plan.cap * longest * 1536 / 2**20)


def test_a_lone_replica_has_none_fewer():
    plan = planner.make_plan(LENGTHS, 5.0, 0.2, 8)
    assert (plan.num_replicas, plan.p95_one_fewer_ms) == (1, None)


@pytest.mark.parametrize("rate, target_s, max_cap, said", [
    (0, 0.1, 8, "rate=0"), (5, -1, 8, "p95=-1"), (5, 0.1, 0, "max-cap=0"), (5, 0.004, 8, "no fleet can do that"),
])
def test_what_cannot_be_planned_is_said(rate, target_s, max_cap, said):
    with pytest.raises(ValueError, match=said):
        planner.make_plan(LENGTHS, rate, target_s, max_cap)


def test_the_command_prints_and_writes_the_plan(tmp_path, capsys):
    path = tmp_path / "new folder" / "plan.json"
    arguments = ["--rate", "300", "--p95-ms", "90", "--workload", "uniform:1,63", "--json", str(path)]
    assert command.main(arguments) == 0
    printed, data = capsys.readouterr().out, json.loads(path.read_text(encoding="utf-8"))
    assert f"plan: {data['num_replicas']} replicas, at most {data['cap']} in flight in each" in printed
    assert "target 90, met by 5/5" in printed
    assert data["source"] == "uniform:1,63" and data["p95_trace_arrivals_ms"] is None
    assert max(data["p95_ms"]) <= 90 < min(data["p95_one_fewer_ms"])


def test_it_speaks_spanish(monkeypatch, capsys):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert command.main(["--rate", "20", "--p95-ms", "90", "--workload", "uniform:1,63"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("plan: 1 réplica, como mucho") and "objetivo 90, lo cumplen 5/5" in printed


def test_a_trace_brings_its_own_rate_and_arrivals(trace, capsys):
    assert command.main(["--p95-ms", "60", "--trace", str(trace)]) == 0
    printed = capsys.readouterr().out
    assert "60 requests" in printed and "with the trace's own arrivals" in printed
    assert "plan: 1 replica, at most" in printed


def test_a_trace_that_the_plan_does_not_serve_is_said_and_the_status_says_so(tmp_path, capsys):
    """Bursts: it said "met by 5/5", and in the next line missed the trace's own p95 40-fold."""
    path = tmp_path / "bursts.csv"
    rows = [f"{second},20,30" for second in (0, 10, 20) for _ in range(100)]
    path.write_text("\n".join(["Timestamp,Request tokens,Response tokens", *rows]) + "\n", encoding="utf-8")
    assert command.main(["--p95-ms", "60", "--trace", str(path), "--json", str(tmp_path / "p.json")]) == 1
    data, printed = json.loads((tmp_path / "p.json").read_text(encoding="utf-8")), capsys.readouterr().out
    needed = data["num_replicas_trace_arrivals"]
    assert f"NOT met; {needed} replicas would" in printed
    calls = [fleet.Call(10**10 * (number // 100), 20, 30) for number in range(300)]
    p95_s = {n: fleet.simulate(calls, num_replicas=n, cap=data["cap"]).p95_s for n in (needed - 1, needed)}
    assert p95_s[needed] <= 0.06 < p95_s[needed - 1]


def test_a_trace_of_one_moment_is_refused(tmp_path):
    """It asked for 2·10¹⁰ requests a second, and was killed for its memory."""
    path = tmp_path / "one.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + "2023-11-16 18:15:46,20,10\n" * 30, encoding="utf-8")
    with pytest.raises(ValueError, match="arrive at the same moment"):
        command.main(["--p95-ms", "60", "--trace", str(path)])


def test_a_rate_beyond_what_can_be_simulated_is_refused_at_once():
    with pytest.raises(ValueError, match="at least .* replicas, but at most 256 are simulated. Plan for a part"):
        planner.make_plan(LENGTHS, 1e6, 0.08, 64)


def test_without_a_rate_it_asks_for_one():
    with pytest.raises(ValueError, match="--rate is missing"):
        command.main(["--p95-ms", "60"])


def test_an_unwritten_planner_is_said(monkeypatch):
    def unwritten(*_):
        raise NotImplementedError("exercise 4.8: plan")

    monkeypatch.setattr(planner, "load_plan", lambda impl: unwritten)
    with pytest.raises(ValueError, match="exercise 4.8: plan is not written yet"):
        command.main(["--rate", "20", "--p95-ms", "90", "--impl", "student"])
