"""Claims about memory, chunks, preemption, quantized K and V, and headlines (Lab 05)."""

from minigpt.schedulers.dynamic import dynamic_batch_loop
from minigpt.studies import lab05, published_speedups
from minigpt.studies.claims.ledger import CONDITION, HOLDS, WRONG, Claim, Finding, Text, judged
from minigpt.studies.claims.scheduling import mixed_runs
from minigpt.studies.engine_survey import EVIDENCE
from minigpt.studies.lab03 import p95_ms, simulate


def blocks() -> Finding:
    """Waste of slots and of blocks, on long sequences and on the tutor's."""
    tutor, long = lab05.tutor_lengths(), lab05.long_lengths()
    slots = [100 - lab05.reserved_waste_percent(lengths, 1_024) for lengths in (long, tutor)]
    paged = [lab05.rounding_waste_percent(lengths, 16) for lengths in (long, tutor)]
    return Finding(
        text=Text(
            f"tokens in slots of 1,024: {slots[0]:.0f} % (long sequences), {slots[1]:.0f} % (the tutor's); wasted "
            "with blocks "
            f"of 16: {paged[0]:.1f} % and {paged[1]:.0f} %",
            f"tokens en slots de 1024: {slots[0]:.0f} % (secuencias largas), {slots[1]:.0f} % (las del tutor); "
            "desperdicio "
            f"con bloques de 16: {paged[0]:.1f} % y {paged[1]:.0f} %",
        ),
        verdict=judged(paged[0] < 4 < paged[1], CONDITION),
        figures={"long_percent": paged[0], "tutor_percent": paged[1]},
    )


def autopsy() -> Finding:
    """The 23× set-up, one change at a time."""
    stages = published_speedups.autopsy(1536)
    padding, scheduling, by_max, paged = (a.seconds / b.seconds for a, b in zip(stages, stages[1:]))
    total = stages[0].seconds / stages[-1].seconds
    short = published_speedups.autopsy(32)
    small = short[0].seconds / short[-1].seconds
    return Finding(
        text=Text(
            f"×{total:.0f} in that set-up: ×{padding:.1f} padding to the longest of all, ×{scheduling:.1f} scheduling, "
            f"×{by_max * paged:.1f} memory; with outputs up to 32 tokens ×{small:.1f}",
            f"×{total:.0f} en esa prueba: ×{padding:.1f} relleno hasta la más larga de todas, ×{scheduling:.1f} "
            f"planificación, ×{by_max * paged:.1f} memoria; con salidas de hasta 32 tokens, ×{small:.1f}",
        ),
        verdict=judged(total > 15 and scheduling < 3 and small < 2, CONDITION),
        figures={"total": total, "padding": padding, "scheduling": scheduling, "memory": by_max * paged,
                 "cap_32": small},
    )


def orca_rates() -> Finding:
    """Rates at one median latency."""
    best = published_speedups.highest_rate_per_s("continuous", published_speedups.ORCA_SLOTS)
    ratios = {slots: best / published_speedups.highest_rate_per_s("static", slots) for slots in (1, 8)}
    return Finding(
        text=Text(
            f"×{ratios[8]:.0f} over static batches of 8, ×{ratios[1]:.0f} over no batching; the pipeline of GPUs that "
            "Orca "
            "kept full is not modelled",
            f"×{ratios[8]:.0f} respecto a lotes estáticos de 8, ×{ratios[1]:.0f} respecto a no formar lotes; no se modela el "
            "pipeline de GPU que Orca mantenía lleno",
        ),
        verdict=judged(3 < ratios[8] < 36.9, CONDITION),
        figures={"over_batch_8": ratios[8], "over_batch_1": ratios[1]},
    )


def dynamic() -> Finding:
    """Dynamic batching compared with static and continuous."""
    runs = mixed_runs(0.7)
    formed = simulate("static", runs.static.workload, loop=dynamic_batch_loop)
    static, middle, continuous = (p95_ms(log) for log in (runs.static, formed, runs.continuous))
    return Finding(
        text=Text(f"p95 at load 0.7: static {static:.0f} ms, dynamic {middle:.0f} ms, continuous {continuous:.0f} ms",
                  f"p95 con carga 0.7: estático {static:.0f} ms, dinámico {middle:.0f} ms, continuo {continuous:.0f} "
                  "ms"),
        verdict=judged(abs(middle - static) < 0.1 * static and continuous < 0.7 * static, WRONG),
        figures={"static_ms": static, "dynamic_ms": middle, "continuous_ms": continuous},
    )


def chunks() -> Finding:
    """What a token budget of 64 does to the gaps."""
    found = lab05.by_budget(budgets=(None, 64))
    whole, cut = found[None], found[64]
    return Finding(
        text=Text(
            f"gap p99 {whole.p99_ms:.1f} → {cut.p99_ms:.1f} ms, longest {whole.longest_ms:.0f} → "
            f"{cut.longest_ms:.1f}, p95 "
            f"{whole.p95_ms:.1f} → {cut.p95_ms:.1f} (up); TTFT of long prompts {whole.ttft_long_ms:.0f} → "
            f"{cut.ttft_long_ms:.0f} ms",
            f"hueco p99 {whole.p99_ms:.1f} → {cut.p99_ms:.1f} ms, máximo {whole.longest_ms:.0f} → "
            f"{cut.longest_ms:.1f}, p95 "
            f"{whole.p95_ms:.1f} → {cut.p95_ms:.1f} (sube); TTFT de prompts largos {whole.ttft_long_ms:.0f} → "
            f"{cut.ttft_long_ms:.0f} ms",
        ),
        verdict=judged(cut.p99_ms < whole.p99_ms / 2 and cut.p95_ms > whole.p95_ms, CONDITION),
        figures={"p99_whole_ms": whole.p99_ms, "p99_chunked_ms": cut.p99_ms, "p95_whole_ms": whole.p95_ms,
                 "p95_chunked_ms": cut.p95_ms},
    )


def preemption() -> Finding:
    """Recompute against swap."""
    lengths = range(1, 600)
    costs = lab05.preemption_ms(lengths)
    wins = {size: sum(s < r for s, r in zip(costs[f"swap, {size}"], costs["recompute"])) for size in (4, 16, 64)}
    return Finding(
        text=Text(
            f"of the lengths 1 to 599, swapping is cheaper for {wins[4]} with blocks of 4, {wins[16]} with 16, {wins[64]} "
            "with 64",
            f"de las longitudes 1 a 599, copiar sale más barato en {wins[4]} con bloques de 4, {wins[16]} con 16 y "
            f"{wins[64]} "
            "con 64",
        ),
        verdict=judged(wins[4] < wins[16] < wins[64], CONDITION),
        figures={f"swap_wins_{size}": count for size, count in wins.items()},
    )


def admission() -> Finding:
    """Reserving the maximum against a watermark."""
    logs = lab05.by_admission()
    p95 = {name: p95_ms(log) for name, log in logs.items()}
    counts = {name: len(log.preemptions) for name, log in logs.items()}
    return Finding(
        text=Text(
            f"p95 {p95['max']:.0f} ms with the maximum reserved, {p95['watermark + 0']:.0f} ms as needed "
            f"({counts['watermark + 0']} preemptions), "
            f"{p95['watermark + 4']:.0f} ms with 4 blocks in reserve ({counts['watermark + 4']} preemptions)",
            f"p95 {p95['max']:.0f} ms con max, {p95['watermark + 0']:.0f} ms según se necesita "
            f"({counts['watermark + 0']} "
            f"desalojos), {p95['watermark + 4']:.0f} ms con 4 bloques en reserva ({counts['watermark + 4']})",
        ),
        verdict=judged(p95["watermark + 4"] < p95["watermark + 0"] < p95["max"], HOLDS),
        figures={f"{name} p95_ms": value for name, value in p95.items()},
    )


def quantized() -> Finding:
    """K and V in 8, 4 and 2 bits."""
    from minigpt.studies.kv_precision import tutor_in_bits

    found = [tutor_in_bits(bits) for bits in (8, 4, 2)]
    eight, four, two = (each.num_changed for each in found)
    times = "×" + " / ".join(f"{1536 / each.bytes_per_token:.1f}" for each in found)
    changed, num_prompts = f"{eight} / {four} / {two}", found[0].num_prompts
    return Finding(
        text=Text(
            f"in 8 / 4 / 2 bits: {times} sequences; {changed} of {num_prompts} answers change",
            f"con 8 / 4 / 2 bits: {times} secuencias; cambian {changed} de {num_prompts} respuestas",
        ),
        verdict=judged(max(eight, four) <= 0.05 * num_prompts < two, CONDITION),
        figures={"changed_int8": eight, "changed_int4": four, "changed_int2": two, "prompts": num_prompts},
    )


def separate_batches() -> Finding:
    """How many of the surveyed engines put prompts and decodes into one step."""
    together = ("vLLM", "SGLang", "TGI", "TensorRT-LLM", "transformers", "llama.cpp")
    return Finding(
        text=Text(
            f"of {len(EVIDENCE) - 2} language-model engines surveyed, {len(together)} can mix pieces of prompts with "
            "decodes, not all by default; some also offer separate machines",
            f"de {len(EVIDENCE) - 2} motores de lenguaje revisados, {len(together)} pueden mezclar trozos de prompts "
            "con decodificación, no todos por defecto; algunos ofrecen además máquinas separadas",
        ),
        verdict=CONDITION, figures={"mixing": len(together), "surveyed": len(EVIDENCE) - 2},
    )


def many_heads() -> Finding:
    """A decode step with four KV heads over one with a single one, at batch 64 and context 256, on this processor."""
    from minigpt.llm.checkpoint_io import random_model
    from minigpt.llm.model import Config
    from minigpt.studies.decode_floor import decode_once, processor_ms

    steps = {heads: decode_once(random_model(Config(num_kv_heads=heads)), 64, 256) for heads in (1, 4)}
    single = {heads: decode_once(random_model(Config(num_kv_heads=heads)), 1, 256) for heads in (1, 4)}
    for step in (*steps.values(), *single.values()):
        step()
    ms = {heads: min(processor_ms(step) for _ in range(5)) for heads, step in steps.items()}
    alone = {heads: min(processor_ms(step) for _ in range(9)) for heads, step in single.items()}
    gain = {heads: 64 * alone[heads] / ms[heads] for heads in ms}
    return Finding(
        text=Text(
            f"one step for 64 over 64 steps, context 256: ×{gain[1]:.1f} with one KV head, ×{gain[4]:.1f} with four "
            "(this processor)",
            f"un paso para 64 frente a 64 pasos, contexto 256: ×{gain[1]:.1f} con una cabeza KV, ×{gain[4]:.1f} con "
            "cuatro (este procesador)",
        ),
        # Both steps are short since the lean pass: in eight runs the ratio of the gains was 1.28 to 1.70.
        verdict=judged(gain[1] > 1.1 * gain[4] > 1.1, CONDITION),
        figures={"one_kv_head": gain[1], "four_kv_heads": gain[4]},
    )


def dispatch() -> Finding:
    """The tutor's decode step over its bare matrix products, on this processor."""
    from minigpt.llm.tutor import load_tutor
    from minigpt.studies.decode_floor import measure

    model = load_tutor()
    ratios = {batch: measure(model, batch, 64, repeats=12).ratio for batch in (1, 8, 64)}
    shown = " / ".join(f"{ratio:.1f}" for ratio in ratios.values())
    return Finding(
        text=Text(f"time of a decode step over that of its matrix products: ×{shown} at batch 1 / 8 / 64 (this processor)",
                  f"un paso de decodificación tarda ×{shown} lo que sus productos de matrices con lote 1 / 8 / 64 "
                  "(este procesador)"),
        verdict=judged(ratios[8] > 1.5, WRONG), figures={f"batch_{batch}": ratio for batch, ratio in ratios.items()},
    )


def classes() -> Finding:
    """Priorities with aging."""
    logs = lab05.by_aging(agings_s=(0.0, 0.3))
    inter, batch = (lab05.class_figures(logs)[name] for name in ("interactive", "batch"))
    return Finding(
        text=Text(
            f"p95 of the interactive class {inter[0]:.0f} → {inter[1]:.0f} ms, of the batch class {batch[0]:.0f} → "
            f"{batch[1]:.0f} ms; the wait is bounded by aging",
            f"p95 de la clase interactiva {inter[0]:.0f} → {inter[1]:.0f} ms, de la clase en diferido {batch[0]:.0f} → "
            f"{batch[1]:.0f} ms; la espera queda acotada por el envejecimiento",
        ),
        verdict=judged(inter[1] < 0.7 * inter[0] and batch[1] < 1.5 * batch[0], HOLDS),
        figures={"interactive_fcfs_ms": inter[0], "interactive_ms": inter[1], "batch_fcfs_ms": batch[0],
                 "batch_ms": batch[1]},
    )


CLAIMS = (
    Claim(
        id="23x", lab="05 · 5.10", measure=autopsy,
        said=Text("Continuous batching gives 23 times the throughput.", "El batching continuo da 23 veces más "
                                                                        "throughput."),
        literature=Text("Anyscale (2023): OPT-13B, outputs up to 1,536, against naive static; ~×8 without paging, ~×4 "
                        "for an "
                        "optimized static server",
                        "Anyscale (2023): OPT-13B, salidas de hasta 1536, frente a un estático ingenuo; ~×8 sin "
                        "bloques, ~×4 "
                        "un estático optimizado"),
    ),
    Claim(
        id="36.9x", lab="05 · 5.10", measure=orca_rates,
        said=Text("Continuous batching gives 23 to 36 times as much.", "El batching continuo da de 23 a 36 veces más."),
        literature=Text("Orca (OSDI 2022): ×36.9 in request rate at equal median latency per token, GPT-3 175B; another "
                        "paper, "
                        "another measure",
                        "Orca (OSDI 2022): ×36.9 en tasa de peticiones a igual latencia mediana por token, GPT-3 "
                        "175B; otro "
                        "artículo, otra medida"),
    ),
    Claim(
        id="paged", lab="05 · 5.1", measure=blocks,
        said=Text("Paging wastes under 4 % of the KV memory.", "La paginación desperdicia menos del 4 % de la memoria "
                                                               "KV."),
        literature=Text("PagedAttention (SOSP 2023); earlier systems held tokens in 20 to 38 %",
                        "PagedAttention (SOSP 2023); los sistemas anteriores llenaban con tokens entre el 20 y el 38 %"),
    ),
    Claim(
        id="admission", lab="05 · 5.2", measure=admission,
        said=Text("Reserving the maximum is safe, and wasteful.", "Reservar el máximo es seguro, pero un derroche."),
        literature=Text("Orca reserves max_tokens; vLLM (SOSP 2023) allots blocks as needed",
                        "Orca reserva max_tokens; vLLM (SOSP 2023) asigna bloques según se necesitan"),
    ),
    Claim(
        id="dynamic", lab="05 · 5.6", measure=dynamic,
        said=Text("Dynamic batching is continuous batching.", "El batching dinámico es batching continuo."),
        literature=Text("TensorFlow Serving and Triton: a batch still runs as a whole",
                        "TensorFlow Serving y Triton: el lote sigue ejecutándose entero"),
    ),
    Claim(
        id="chunks", lab="05 · 5.3", measure=chunks,
        said=Text("Chunked prefill lowers the time between tokens.", "El prellenado por trozos baja el tiempo entre "
                                                                     "tokens."),
        literature=Text("Sarathi-Serve (OSDI 2024): the tail, at the price of TTFT",
                        "Sarathi-Serve (OSDI 2024): los huecos más largos, a costa del TTFT"),
    ),
    Claim(
        id="preemption", lab="05 · 5.5", measure=preemption,
        said=Text("Swapping is cheaper than recomputing.", "Copiar es más barato que recalcular."),
        literature=Text("vLLM (SOSP 2023): small blocks favour recomputing, large ones swapping",
                        "vLLM (SOSP 2023): los bloques pequeños favorecen recalcular; los grandes, copiar"),
    ),
    Claim(
        id="classes", lab="05 · 5.4", measure=classes,
        said=Text("Priorities help the urgent without starving the rest, if they age.",
                  "Las prioridades ayudan a las peticiones urgentes sin dejar a ninguna sin servicio, si envejecen."),
        literature=Text("multilevel queues of operating systems; priority scheduling in vLLM and SGLang (2025)",
                        "colas multinivel de los sistemas operativos; prioridades en vLLM y SGLang (2025)"),
    ),
    Claim(
        id="quantized", lab="05 · 5.9", measure=quantized,
        said=Text("K and V in few bits cost nothing.", "K y V con pocos bits no cuestan nada."),
        literature=Text("FP8/INT8 in production; KIVI (Liu et al., 2024) goes to 2 bits with care",
                        "FP8/INT8 en producción; KIVI (Liu et al., 2024) baja a 2 bits, con cuidado"),
    ),
    Claim(
        id="separate", lab="05 · 5.7", measure=separate_batches,
        said=Text("Production separates prefill from decode batches.", "En producción se separan los lotes de prellenado y "
                                                                       "de decodificación."),
        literature=Text("DistServe, Splitwise (2024) do; most can mix chunks with decodes",
                        "DistServe y Splitwise (2024) lo hacen; casi todos pueden mezclar trozos con decodificación"),
    ),
    Claim(
        id="dispatch", lab="01", measure=dispatch,
        said=Text("A step costs what its matrix products cost.", "Un paso cuesta lo que cuestan sus productos de "
                                                                 "matrices."),
        literature=Text("on a GPU with a large model nearly so; at this size Python and dispatch come first",
                        "casi cierto en una GPU con un modelo grande; a esta escala pesan más Python y el lanzamiento de operaciones"),
    ),
    Claim(
        id="grouped-query", lab="01", measure=many_heads,
        said=Text("Sharing KV heads is why batching pays on long contexts.",
                  "Compartir cabezas KV es la razón de que el batching compense en contextos largos."),
        literature=Text("GQA (Ainslie et al., 2023) names memory and speed", "GQA (Ainslie et al., 2023) habla de "
                                                                             "memoria y de rapidez"),
    ),
)
