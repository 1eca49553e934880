"""Claims about shared prefixes and guessed tokens (Lab 06)."""

from minigpt.studies import prefix_sharing, speculation
from minigpt.studies.claims.ledger import CONDITION, Claim, Finding, Text, judged


def prefixes() -> Finding:
    """What a prefix cache saves with much in common, with nothing in common, and with little memory."""
    found = prefix_sharing.by_share(shares=(0.0, 0.9))
    none, much = (before.ttft_p95_ms / after.ttft_p95_ms for before, after in zip(found["none"], found["cached"]))
    small, large = (each.hit_percent for each in prefix_sharing.by_memory(pools=(48, 768))["cached"])
    return Finding(
        text=Text(
            f"p95 TTFT ÷ {much:.0f} with 90 % of the prompt in common, ÷ {none:.0f} with nothing; conversations find "
            f"{large:.0f} % of their tokens with 768 blocks, {small:.0f} % with 48",
            f"p95 de TTFT ÷ {much:.0f} con un 90 % del prompt en común, ÷ {none:.0f} sin nada; las conversaciones encuentran "
            f"un {large:.0f} % de sus tokens con 768 bloques, un {small:.0f} % con 48",
        ),
        verdict=judged(much > 3 and 0.99 < none < 1.01 and large > 1.5 * small, CONDITION),
        figures={"ttft_90": much, "ttft_0": none, "hits_768_percent": large, "hits_48_percent": small},
    )


def guesses() -> Finding:
    """The gain of two guesses a step on the tutor's mix, by the number of requests in flight."""
    _, counts = speculation.run(speculation.answers(), 2)
    gains = {batch: speculation.gain_on_the_virtual_clock(batch, 2) for batch in (1, 8, 64)}
    shown = " / ".join(f"{gain:.2f}" for gain in gains.values())
    return Finding(
        text=Text(
            f"{counts.tokens_per_step:.2f} tokens per step with two guesses by prompt lookup; × {shown} at 1 / 8 / 64 in flight",
            f"{counts.tokens_per_step:.2f} tokens por paso adivinando dos por búsqueda en el prompt; × {shown} con 1 / 8 / 64 en vuelo",
        ),
        verdict=judged(gains[1] > 1.1 and gains[64] < 0.95, CONDITION),
        figures={"tokens_per_step": counts.tokens_per_step, **{f"gain_{batch}": gain for batch, gain in gains.items()}},
    )


CLAIMS = (
    Claim(
        id="prefixes", lab="06 · 6.1", measure=prefixes,
        said=Text("Prefix caching makes first tokens come sooner.", "La caché de prefijos adelanta el primer token."),
        literature=Text("SGLang (NeurIPS 2024): up to 6.4 times the throughput on programs that share prompts; on by default in vLLM "
                        "and SGLang (2026)",
                        "SGLang (NeurIPS 2024): hasta ×6.4 de throughput en programas que comparten prompts; activada por "
                        "defecto en vLLM y SGLang (2026)"),
    ),
    Claim(
        id="guesses", lab="06 · 6.2", measure=guesses,
        said=Text("Speculative decoding makes a server faster.", "La decodificación especulativa acelera un servidor."),
        literature=Text("Leviathan et al. (ICML 2023): ×2–3, one answer at a time",
                        "Leviathan et al. (ICML 2023): ×2–3, con una sola respuesta a la vez"),
    ),
)
