"""The shared model is what its file says after every cell, and the statement that changed it is named."""

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from minigpt import lab as lab_module
from minigpt.llm import weight_guard
from minigpt.llm.tutor import load_tutor


@pytest.fixture(autouse=True)
def repaired():
    yield
    weight_guard.repair_tutor()


@pytest.mark.parametrize("statement, name", [
    ("x = model.embedding[5]; x += 1", "embedding"), ("x = model.embedding[5:6]; x.mul_(2)", "embedding"),
    ("model.layers[2].qkv[0] = 0", "layers[2].qkv"), ("torch.mm(model.cos.T, model.sin, out=model.cos[:32])", "cos"),
])
@pytest.mark.parametrize("mode", [torch.inference_mode, torch.enable_grad])
def test_a_statement_in_place_is_noticed_and_undone(statement, name, mode):
    model = load_tutor()
    before = {key: tensor.clone() for key, tensor in weight_guard.named_tensors(model)}
    with mode():
        exec(statement, {"model": model, "torch": torch})
    assert weight_guard.repair_tutor() == [name]
    assert all(torch.equal(before[key], tensor) for key, tensor in weight_guard.named_tensors(load_tutor()))
    assert load_tutor() is model and weight_guard.repair_tutor() == []


def test_a_copy_is_no_matter():
    model = load_tutor()
    x = model.embedding[torch.tensor([5])]
    x += 1
    assert weight_guard.repair_tutor() == []


def test_every_weight_is_guarded():
    model = load_tutor()
    guarded = {tensor.data_ptr() for _, tensor in weight_guard.named_tensors(model)}
    for owner in (model, *model.layers):
        names = getattr(owner, "__slots__", None) or vars(owner)
        own = {name: getattr(owner, name) for name in names if isinstance(getattr(owner, name), torch.Tensor)}
        missing = {name for name, tensor in own.items() if tensor.data_ptr() not in guarded}
        assert missing <= {"turns", "masks", "norm_floor", "zeros"}, "constants that no lab's code touches"


@pytest.mark.parametrize("language, words", [("en", "Write x = x + …"), ("es", "Escribe mejor x = x + …")])
def test_after_a_cell_the_notebook_says_so_once(language, words, monkeypatch, capsys):
    monkeypatch.setenv("MINIGPT_LANG", language)
    shell = InteractiveShell()
    shell.events.register("post_run_cell", lab_module.guard_the_model)
    shell.user_ns["model"] = load_tutor()
    shell.run_cell("x = model.embedding[7]\nx += 1")
    assert words in (printed := capsys.readouterr().out) and "(embedding)" in printed
    shell.run_cell("y = model.embedding[7] + 1")
    assert capsys.readouterr().out == ""
