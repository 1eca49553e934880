"""What is measured on this machine in addition to the graded figures: what 32 requests per step gain over one."""

from minigpt.llm.tutor import load_tutor
from minigpt.studies.decode_floor import decode_once
from minigpt.studies.lab01 import median_ms


def measure(student) -> dict:
    """Tokens per second of processor time of the given slot cache, alone and with 32 requests, at 64 tokens each."""
    model = load_tutor()
    per_s = {size: size * 1e3 / median_ms(decode_once(model, size, 64), repeats=40) for size in (1, 32)}
    return {
        "cpu_tokens_per_s_b1": per_s[1], "cpu_tokens_per_s_b32": per_s[32], "cpu_batch_gain": per_s[32] / per_s[1],
    }
