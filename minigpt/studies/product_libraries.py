"""MKL against oneDNN: the four products of a layer by the number of rows, timed interleaved (see minigpt/llm/products.py)."""

import numpy as np
import torch

from minigpt.language import say
from minigpt.llm import products
from minigpt.llm.model import MiniGPT
from minigpt.studies.decode_floor import processor_ms

NUM_ROWS = (8, 16, 24, 48, 96, 384)


@torch.inference_mode()
def times_ms(model: MiniGPT, num_rows: int, repeats: int = 20) -> tuple[float, float]:
    """Processor time of a layer's four products with each library, medians: (torch.mm's, oneDNN's)."""
    layer = model.layers[0]
    pairs = [(torch.randn(num_rows, len(weight)), weight) for weight in (layer.qkv, layer.attention_out, layer.gate_up, layer.down)]
    outs = [torch.empty(num_rows, weight.shape[1]) for _, weight in pairs]

    def run(many: bool):
        return lambda: [products.multiply(x, weight, out, many) for (x, weight), out in zip(pairs, outs, strict=True)]

    functions = [run(False), run(True)]
    for function in functions:
        function()  # oneDNN prepares itself for each new number of rows
    both = np.median([[processor_ms(function, 10) for function in functions] for _ in range(repeats)], axis=0)
    return float(both[0]), float(both[1])


def report(model: MiniGPT, repeats: int = 20) -> str:
    if not products.has_onednn():
        return say(en="oneDNN is not here: torch.mm multiplies everything.", es="No hay oneDNN: todo lo multiplica torch.mm.")
    lines = [say(en="a layer's products, ms    rows   torch.mm   oneDNN   times as fast",
                 es="productos de una capa, ms  filas   torch.mm   oneDNN   veces más rápido")]
    for num_rows in NUM_ROWS:
        mkl, onednn = times_ms(model, num_rows, repeats)
        lines.append(f"{num_rows:30d}   {mkl:8.3f}   {onednn:6.3f}   {mkl / onednn:13.2f}")
    return "\n".join(lines)
