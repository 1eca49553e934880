"""`torch.mm` against FBGEMM's packed weights: the four products of a layer by the number of rows (see minigpt/llm/products.py)."""

import numpy as np
import torch

from minigpt.language import say
from minigpt.llm import products
from minigpt.llm.model import MiniGPT
from minigpt.studies.decode_floor import processor_ms

NUM_ROWS = (1, 8, 16, 64, 384)


@torch.inference_mode()
def times_ms(model: MiniGPT, num_rows: int, repeats: int = 20) -> tuple[float, float]:
    """Processor time of a layer's four products with each library, medians: (torch.mm's, the model's own)."""
    layer, own = model.layers[0], model.products[0]
    weights = [getattr(layer, name) for name in products.LINEAR]
    pairs = [(torch.randn(num_rows, len(weight)), torch.empty(num_rows, weight.shape[1])) for weight in weights]

    def run(ways):
        return lambda: [way(x, out=out) for way, (x, out) in zip(ways, pairs, strict=True)]

    functions = [run([products.Product(weight) for weight in weights]), run([getattr(own, name) for name in products.LINEAR])]
    both = np.median([[processor_ms(function, 10) for function in functions] for _ in range(repeats + 1)], axis=0)
    return float(both[0]), float(both[1])


def report(model: MiniGPT, repeats: int = 20) -> str:
    if not isinstance(model.products[0].qkv, products.PackedProduct):
        return say(en="no packed weights here: torch.mm multiplies everything.",
                   es="aquí no hay pesos empaquetados: todo lo multiplica torch.mm.")
    lines = [say(en="a layer's products, ms    rows   torch.mm   packed   times as fast",
                 es="productos de una capa, ms  filas  torch.mm  empaquetados  veces más rápido")]
    for num_rows in NUM_ROWS:
        plain, packed = times_ms(model, num_rows, repeats)
        lines.append(f"{num_rows:30d}   {plain:8.3f}   {packed:6.3f}   {plain / packed:13.2f}")
    return "\n".join(lines)
