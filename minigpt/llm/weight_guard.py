"""A guard for the shared model: a statement that works in place on one of its tensors changes it for all later cells.

`model.embedding[5]` is a view of the model's own memory, not a copy, so `x = model.embedding[5]; x += …` writes there.
The checks would not notice, since each of them runs in a process of its own; every later cell would be wrong.
"""

from functools import lru_cache

import torch

from minigpt.language import say
from minigpt.llm.checkpoint_io import load_checkpoint
from minigpt.llm.model import MiniGPT
from minigpt.llm.tutor import load_tutor


def repair_tutor() -> list[str]:
    """Restore the tutor's tensors from its file; return the names of those that differed."""
    if not load_tutor.cache_info().currsize:
        return []
    pairs = zip(named_tensors(load_tutor()), named_tensors(_from_file()))
    changed = [(name, own, fresh) for (name, own), (_, fresh) in pairs if not torch.equal(own, fresh)]
    for _, own, fresh in changed:
        own.copy_(fresh)  # in place, so that every holder of the model has the repaired one
    return [name for name, _, _ in changed]


def named_tensors(model: MiniGPT) -> list[tuple[str, torch.Tensor]]:
    """The weights and angles of a model, each with the name by which a lab's code gets at it."""
    of_layers = [
        (f"layers[{index}].{name}", getattr(layer, name))
        for index, layer in enumerate(model.layers) for name in layer.__slots__
    ]
    return [(name, getattr(model, name)) for name in ("embedding", "final_norm", "cos", "sin")] + of_layers


def warning(names: list[str]) -> str:
    """What happened, which kinds of statement cause it, and the way out."""
    which = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return say(
        en=f"This cell has changed the model itself ({which}). A statement modified a tensor of the model, or a view of it,\n"
           "in place: x += …, x *= …, x.add_(…), x[…] = …, out=x. model.embedding[5] and model.embedding[5:6] are views;\n"
           "model.embedding[torch.tensor([5])] is a copy. Write x = x + … instead. The weights have been restored from their\n"
           "file, but what this cell printed was computed with the changed ones: run it again.",
        es=f"Esta celda ha cambiado el propio modelo ({which}). Una instrucción modificó in place un tensor del modelo o una "
           "vista\nsuya: x += …, x *= …, x.add_(…), x[…] = …, out=x. model.embedding[5] y model.embedding[5:6] son vistas; "
           "\nmodel.embedding[torch.tensor([5])] es una copia. Escribe mejor x = x + … Los pesos se han restaurado desde su "
           "archivo,\npero lo que imprimió esta celda se calculó con los cambiados: ejecútala otra vez.",
    )


@lru_cache(maxsize=1)
def _from_file() -> MiniGPT:
    return load_checkpoint()
