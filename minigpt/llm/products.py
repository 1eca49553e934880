"""The products of the linear layers, x @ weight, by the quicker of two libraries.

`torch.mm` is MKL's on most computers. It takes weights as they are, puts them in order at every call, and on a
processor that is not Intel's it uses half of the vector width. FBGEMM puts a matrix in order once, as 16-bit numbers, so
that half as many bytes are read, and multiplies and adds in fp32. The shipped weights are 16-bit numbers in their file,
so nothing is lost by it. A matrix that 16 bits do not hold exactly is `torch.mm`'s, such as one drawn at random or in
training, and so is every matrix on a processor without FBGEMM (ARM). `python -m minigpt bench` compares both.
"""

import warnings

import torch

LINEAR = ("qkv", "attention_out", "gate_up", "down")  # the matrices of a layer, in the order in which a pass multiplies by them


def has_fbgemm() -> bool:
    return "fbgemm" in torch.backends.quantized.supported_engines and hasattr(torch, "fbgemm_linear_fp16_weight_fp32_activation")


def fits_16_bits(weight: torch.Tensor) -> bool:
    """Whether fp16 holds every number of the matrix exactly."""
    return torch.equal(weight.half().float(), weight) and bool(weight.isfinite().all())


class Product:
    """Multiplies by a weight (I, O) as it is, whatever becomes of it later."""

    def __init__(self, weight: torch.Tensor):
        self.weight = weight

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """x (N, I) @ weight: (N, O), in `out` if it is given."""
        return torch.mm(x, self.weight, out=out)


class PackedProduct:
    """Multiplies by a copy of a weight (I, O), packed when this is made."""

    def __init__(self, weight: torch.Tensor):
        with warnings.catch_warnings():  # PyTorch means to remove these two functions one day; requirements.txt pins its version
            warnings.simplefilter("ignore", UserWarning)
            self.packed = torch.fbgemm_pack_gemm_matrix_fp16(weight.t().contiguous())
            self(torch.zeros(1, len(weight)))

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """x (N, I) @ weight: (N, O), in `out` if it is given."""
        if out is None:
            return torch.fbgemm_linear_fp16_weight_fp32_activation(x, self.packed, None)
        return torch.fbgemm_linear_fp16_weight_fp32_activation(x, self.packed, None, out)


def product_with(weight: torch.Tensor) -> Product | PackedProduct:
    """The quicker product of the two that is exact for this weight."""
    return PackedProduct(weight) if has_fbgemm() and fits_16_bits(weight) else Product(weight)


class LayerProducts:
    """The four products of a layer."""

    def __init__(self, layer):
        self.qkv, self.attention_out, self.gate_up, self.down = (product_with(getattr(layer, name)) for name in LINEAR)
