"""The products of the linear layers, by the library that is faster for their number of rows.

PyTorch brings two. `torch.mm` is MKL's: quick to call, but on a processor that is not Intel's it uses half of the vector
width. oneDNN uses all of it, and adds in the same call, but a call takes longer. So oneDNN multiplies the many rows of a
prompt, and MKL the few of a decode step; a decode step of any batch size, so that its number of operations does not depend
on B. `python -m minigpt bench` shows both by the number of rows. Where oneDNN is missing, `torch.mm` does everything.
"""

import torch

MANY_ROWS = 24
WIDTHS = 4  # a multiple of it is what prompts are padded to, in tokens: oneDNN prepares itself for each new number of rows


def has_onednn() -> bool:
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


_onednn = torch.ops.mkldnn._linear_pointwise if has_onednn() else None


def are_many(batch: int, new: int) -> bool:
    """Whether a pass of T new tokens of each of B sequences is oneDNN's."""
    return _onednn is not None and new > 1 and batch * new >= MANY_ROWS


def multiply(x: torch.Tensor, weight: torch.Tensor, out: torch.Tensor, many: bool) -> torch.Tensor:
    """x (N, I) @ weight (I, O): in `out` if the rows are few, else in memory of its own."""
    if many:
        return _onednn(x, weight.t(), None, "none", [], "")
    return torch.mm(x, weight, out=out)


def add_product(total: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, many: bool) -> torch.Tensor:
    """total (N, O) + x (N, I) @ weight (I, O); `total` itself is overwritten if the rows are few."""
    if many:
        return _onednn.binary(x, total, weight.t(), None, "add")
    return total.addmm_(x, weight)
