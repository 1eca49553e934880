"""What stands for a model or a measured function in a graded call."""

import torch

from tests.grader.remote_arguments import Machine, ModelSpec, ScriptedClock, ScriptedTimes, counting, is_described, make

CONFIG = dict(width=32, num_layers=2, num_heads=4, num_kv_heads=1, head_size=8, ffn_width=48, context=64)


def test_both_sides_build_the_same_model():
    spec = ModelSpec(config=CONFIG, seed=5, spread=3.0)
    here, there = spec.build(), make(spec.plain(), Machine())
    assert torch.equal(here.embedding, there.embedding) and torch.equal(here.layers[1].down, there.layers[1].down)


def test_scripted_times_pass_on_the_scripted_clock():
    machine = Machine()
    script = ScriptedTimes(durations_s={"a": [5.0, 1.0], "b": [2.0]}, slowdown=[1.0, 1.0, 10.0], twins={"c": "b"})
    functions, clock = make(script.plain(), machine), make(ScriptedClock().plain(), machine)
    seen = []
    for name in "abaa":
        functions[name]()
        seen.append(clock())
    assert seen == [5.0, 7.0, 17.0, 27.0]  # 5, 2, then 1 and 1 at a tenth of the speed
    assert functions["c"] is functions["b"]


def test_only_descriptions_are_made():
    assert is_described(ModelSpec(config=CONFIG).plain())
    assert not any(map(is_described, (None, 3, "model", {"$": "list", "v": []})))


def test_products_are_counted_by_weight_matrix():
    model = ModelSpec(config=CONFIG).build()
    x = torch.randn(3, 32)
    with counting(model) as counts:
        x @ model.layers[0].qkv
        torch.addmm(x[:, :32], torch.randn(3, 48), model.layers[1].down)
        for row in x:
            row @ model.embedding.t()
        model.embedding[torch.tensor([1])]  # looked up, not multiplied
    assert counts == [1, 0, 0, 0, 0, 0, 0, 1, 3]
