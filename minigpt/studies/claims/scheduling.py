"""Claims about static and continuous batching, measured with the given loops (labs 02 to 04)."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.runtime.clock import NS, StepCost, StepShape
from minigpt.schedulers.continuous import continuous_batch_loop
from minigpt.simulation.run import Runs
from minigpt.studies import lab03 as studies
from minigpt.studies.claims.ledger import CONDITION, HOLDS, WRONG, Claim, Finding, Text, judged
from minigpt.workloads.workload import workload

LOADS = (0.1, 0.3, 0.5, 0.7, 0.95)


@lru_cache(maxsize=8)
def mixed_runs(load: float) -> Runs:
    """Static and continuous batching on the tutor's usual mix."""
    return studies.compare(workload("mixed", load=load, num_requests=600, seed=3), continuous_batch_loop)


def equal_lengths() -> Finding:
    """In a burst nothing changes; one by one it does, and real prefill turns the sign."""
    all_at_once = workload("constant:16", arrivals="burst", num_requests=64)
    burst = studies.compare(all_at_once, continuous_batch_loop).p95_reduction_percent
    decode = studies.equal_lengths((0.3, 0.7, 0.95), studies.DECODE_ONLY, continuous_batch_loop)
    real = studies.equal_lengths((0.3, 0.7, 0.95), StepCost(), continuous_batch_loop)
    shown = [" / ".join(f"{ratio:.2f}" for ratio in ratios) for ratios in (decode, real)]
    return Finding(
        text=Text(
            f"one burst: {abs(burst):.0f} % apart. Poisson, p95 continuous over static at load 0.3 / 0.7 / 0.95: "
            f"{shown[0]} "
            f"without prefill costs, {shown[1]} with them",
            f"una ráfaga: {abs(burst):.0f} % de diferencia. Poisson, p95 continuo entre estático con carga 0.3 / 0.7 "
            "/ 0.95: "
            f"{shown[0]} sin coste de prellenado, {shown[1]} con él",
        ),
        verdict=judged(abs(burst) < 0.5 and decode[0] < 0.9 and real[-1] > 1, CONDITION),
        figures={"burst_percent": burst, "decode_only_0.3": decode[0], "decode_only_0.7": decode[1],
                 "real_0.95": real[-1]},
    )


def p95_falls() -> Finding:
    """The fall of p95 over the load."""
    falls = [mixed_runs(load).p95_reduction_percent for load in LOADS]
    shown = " / ".join(f"{fall:.0f}" for fall in falls)
    return Finding(
        text=Text(f"reduction {shown} % at load {' / '.join(map(str, LOADS))} (8 slots, 80/20 mix)",
                  f"reducción {shown} % con carga {' / '.join(map(str, LOADS))} (8 slots, mezcla 80/20)"),
        verdict=judged(30 <= falls[3] <= 75 and falls[-1] > falls[3], CONDITION),
        figures={f"load_{load}_percent": fall for load, fall in zip(LOADS, falls)},
    )


def throughput() -> Finding:
    """Below saturation both complete what arrives; with everything queued one is faster."""
    ratio = mixed_runs(0.7).throughput_ratio
    gains = {name: studies.burst_gain(name, continuous_batch_loop) for name in ("uniform:1,63", "exponential:16,128", "mixed")}
    shown = " / ".join(f"{gain:.1f}" for gain, _, _ in gains.values())
    bound = " / ".join(f"{bound:.1f}" for _, bound, _ in gains.values())
    return Finding(
        text=Text(
            f"×{ratio:.2f} at load 0.7; all queued at once (uniform / exponential / mix): ×{shown}, bound from "
            f"lengths ×{bound}",
            f"×{ratio:.2f} con carga 0.7; todo en cola a la vez (uniforme / exponencial / mezcla): ×{shown}, cota por "
            f"longitudes ×{bound}",
        ),
        verdict=judged(abs(ratio - 1) < 0.03 and all(gain > 1 for gain, _, _ in gains.values()), CONDITION),
        figures={"ratio_at_0.7": ratio, **{f"burst_{name}": gain for name, (gain, _, _) in gains.items()}},
    )


def p95_by_length() -> Finding:
    """The 95th percentile of the lengths times the step: what it predicts of both servers."""
    runs, cost = mixed_runs(0.7), StepCost()
    lengths = [item.num_steps for item in runs.static.workload.items]
    step_s = cost.step_ns(StepShape(num_decode=8, num_prefill_tokens=0, num_context_tokens=8 * 60)) / NS
    predicted = metrics.percentile(lengths, 95) * step_s
    off = {name: metrics.percentile(metrics.e2e_s(log), 95) / predicted
           for name, log in (("static", runs.static), ("continuous", runs.continuous))}
    return Finding(
        text=Text(f"p95 over that estimate, at load 0.7: static ×{off['static']:.1f}, continuous ×{off['continuous']:.2f}",
                  f"con carga 0.7 el estático da ×{off['static']:.1f} ese valor; el continuo, ×{off['continuous']:.2f}"),
        verdict=judged(off["static"] > 1.3 and 0.8 < off["continuous"] < 1.3, WRONG),
        figures={f"{name}_over_predicted": value for name, value in off.items()},
    )


def same_work() -> Finding:
    """Rows computed for nothing."""
    runs = mixed_runs(0.7)
    shares = [100 * (1 - sum(len(s.useful_ids) for s in log.steps) / sum(len(s.request_ids) for s in log.steps))
              for log in (runs.static, runs.continuous)]
    return Finding(
        text=Text(f"rows computed for nothing: static {shares[0]:.0f} %, continuous {shares[1]:.0f} %",
                  f"filas calculadas en balde: estático {shares[0]:.0f} %, continuo {shares[1]:.0f} %"),
        verdict=judged(shares[0] > 10 and shares[1] == 0, WRONG),
        figures={"static_percent": shares[0], "continuous_percent": shares[1]},
    )


def utilization() -> Finding:
    """Slot use of both servers."""
    runs = mixed_runs(0.7)
    use = [metrics.slot_use_percent(log) for log in (runs.static, runs.continuous)]
    burst = studies.compare(workload("mixed", arrivals="burst", num_requests=400, seed=5), continuous_batch_loop)
    full = [metrics.slot_use_percent(log) for log in (burst.static, burst.continuous)]
    return Finding(
        text=Text(
            f"slot use, static → continuous: {use[0]:.0f} → {use[1]:.0f} % at load 0.7, "
            f"{full[0]:.0f} → {full[1]:.0f} % with all queued: ×{full[1] / full[0]:.1f}",
            f"uso de slots, estático → continuo: {use[0]:.0f} → {use[1]:.0f} % con carga 0.7, "
            f"{full[0]:.0f} → {full[1]:.0f} % con todo en cola: ×{full[1] / full[0]:.1f}",
        ),
        verdict=judged(full[1] / full[0] < 5, WRONG),
        figures={"static_full_percent": full[0], "continuous_full_percent": full[1]},
    )


def first_token() -> Finding:
    """TTFT of both servers."""
    pairs = [(studies.ttft_p95_ms(runs.static), studies.ttft_p95_ms(runs.continuous))
             for runs in (mixed_runs(0.3), mixed_runs(0.7))]
    shown = ["{:.0f} → {:.1f} ms".format(*pair) for pair in pairs]
    return Finding(
        text=Text(f"TTFT p95, static → continuous: {shown[0]} at load 0.3, {shown[1]} at 0.7",
                  f"TTFT p95, estático → continuo: {shown[0]} con carga 0.3, {shown[1]} con 0.7"),
        verdict=judged(all(before > 3 * after for before, after in pairs), HOLDS),
        figures={"static_0.7_ms": pairs[1][0], "continuous_0.7_ms": pairs[1][1]},
    )


def gaps_near_saturation() -> Finding:
    """The gap between tokens as the load grows."""
    runs = [mixed_runs(load).continuous for load in (0.5, 0.95)]
    runs += [
        studies.compare(workload("mixed", load=load, num_requests=600, seed=3), continuous_batch_loop).continuous
        for load in (1.2, 1.6)  # of the static capacity: the continuous server's own is 1.7 times that
    ]
    p95, longest = ([figure(log) for log in runs] for figure in (studies.itl_p95_ms, studies.longest_gap_ms))
    shown = " → ".join(f"{value:.1f}" for value in p95)
    return Finding(
        text=Text(
            f"p95 gap {shown} ms at load 0.5, 0.95, 1.2, 1.6 of the static capacity; longest {longest[0]:.0f} → "
            f"{longest[-1]:.0f} ms",
            f"hueco p95 {shown} ms con carga 0.5, 0.95, 1.2 y 1.6 de la capacidad estática; máximo {longest[0]:.0f} → "
            f"{longest[-1]:.0f} ms",
        ),
        verdict=judged(p95[-1] < 3 * p95[0], HOLDS),
        figures={"p95_0.5_ms": p95[0], "p95_0.95_ms": p95[1], "p95_1.6_ms": p95[-1], "longest_1.6_ms": longest[-1]},
    )


def prefill_against_decode() -> Finding:
    """A prefill of each length over a decode step of one sequence."""
    cost = StepCost()
    decode = cost.step_ns(StepShape(num_decode=1, num_prefill_tokens=0, num_context_tokens=40))
    ratios = {tokens: cost.step_ns(StepShape(num_decode=0, num_prefill_tokens=tokens, num_context_tokens=0)) / decode
              for tokens in (8, 40, 128, 512)}
    shown = " / ".join(f"{ratio:.0f}" for ratio in ratios.values())
    return Finding(
        text=Text(f"×{shown} the cost of a decode step, for prompts of 8 / 40 / 128 / 512 tokens",
                  f"×{shown} el coste de un paso de decodificación, con prompts de 8 / 40 / 128 / 512 tokens"),
        verdict=judged(ratios[8] < 3 and ratios[512] > 20, CONDITION),
        figures={f"tokens_{tokens}": ratio for tokens, ratio in ratios.items()},
    )


CLAIMS = (
    Claim(
        id="equal-lengths", lab="03 · 3.5", measure=equal_lengths,
        said=Text("With equal lengths, static and continuous batching are the same.",
                  "Con longitudes iguales, el batching estático y el continuo son lo mismo."),
        literature=Text("a common statement; we found no measurement of it",
                        "una afirmación habitual; no se encontró ninguna medida"),
    ),
    Claim(
        id="p95-falls", lab="03 · 3.9", measure=p95_falls,
        said=Text("Continuous batching lowers p95 by 30 to 70 %.", "El batching continuo baja el p95 entre un 30 y un "
                                                                   "70 %."),
        literature=Text("quoted without load and lengths", "citado sin carga ni longitudes"),
    ),
    Claim(
        id="throughput", lab="03 · 3.10", measure=throughput,
        said=Text("Continuous batching raises throughput.", "El batching continuo aumenta el throughput."),
        literature=Text("Anyscale (2023): up to ×23; true of capacity", "Anyscale (2023): hasta ×23; cierto para la "
                                                                        "capacidad"),
    ),
    Claim(
        id="p95-by-length", lab="02", measure=p95_by_length,
        said=Text("p95 is the 95th percentile of the lengths times the step time.",
                  "El p95 es el percentil 95 de las longitudes por el tiempo de paso."),
        literature=Text("textbook estimate of static batching", "estimación de manual para el batching estático"),
    ),
    Claim(
        id="same-work", lab="02", measure=same_work,
        said=Text("The total work is the same under both.",
                  "El trabajo total es el mismo con el batching estático y con el continuo."),
        literature=Text("leaves out finished rows (Orca, OSDI 2022, section 3)",
                        "olvida las filas terminadas (Orca, OSDI 2022, sección 3)"),
    ),
    Claim(
        id="utilization", lab="03 · 3.7", measure=utilization,
        said=Text("Effective utilization rises 5 to 10 times.", "La utilización efectiva se multiplica por un factor de 5 a 10."),
        literature=Text("no source was found", "no se encontró ninguna fuente"),
    ),
    Claim(
        id="first-token", lab="03 · 3.10", measure=first_token,
        said=Text("Time to first token improves dramatically.", "El tiempo hasta el primer token mejora muchísimo."),
        literature=Text("the static server answers at the end (Orca, OSDI 2022)",
                        "el estático responde al final (Orca, OSDI 2022)"),
    ),
    Claim(
        id="gaps", lab="03 · 3.10", measure=gaps_near_saturation,
        said=Text("Inter-token latency degrades gracefully near saturation.",
                  "La latencia entre tokens se degrada poco a poco cerca de la saturación."),
        literature=Text("said of all engines with a cap on the batch", "se dice de todo motor con tope de lote"),
    ),
    Claim(
        id="prefill", lab="01, 05 · 5.3", measure=prefill_against_decode,
        said=Text("Prefill costs much more than a decode step.", "El prellenado cuesta mucho más que un paso de "
                                                                 "decodificación."),
        literature=Text("true of long prompts (Sarathi-Serve, OSDI 2024)",
                        "cierto con prompts largos (Sarathi-Serve, OSDI 2024)"),
    ),
)
