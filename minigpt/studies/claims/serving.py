"""Claims about order, fairness between clients, two kinds of machines, and routing (Lab 06)."""

from minigpt.schedulers.lines import next_in_line
from minigpt.simulation.machines import LINKS
from minigpt.simulation.routing import ROUTERS, affine, fleet_of_prefixes, serve_prefixes
from minigpt.studies import orders, two_kinds
from minigpt.studies.claims.ledger import CONDITION, HOLDS, WRONG, Claim, Finding, Text, judged


def shortest_first() -> Finding:
    """Mean and longest latency in order of arrival, shortest first, and with a bound, on a crowded and on a calm server."""
    first, free, bound = (orders.by_bound(next_in_line, (each,))[each] for each in (0, None, 32))
    calm = [orders.by_bound(next_in_line, (each,), load=orders.CALM)[each]["mean"] for each in (0, None)]
    mean, longest = (" → ".join(f"{each[name]:.0f}" for each in (first, free, bound)) for name in ("mean", "longest"))
    return Finding(
        text=Text(
            f"load 1.8, in order of arrival → shortest first → with at most 32 overtakings: mean {mean} ms, longest {longest} "
            f"ms; at 0.7 the mean is {calm[0]:.0f} → {calm[1]:.0f} ms",
            f"carga 1.8, por orden de llegada → la más corta primero → con 32 adelantos como mucho: media {mean} ms, la más "
            f"larga {longest} ms; con 0.7 la media es {calm[0]:.0f} → {calm[1]:.0f} ms",
        ),
        verdict=judged(free["mean"] < 0.8 * first["mean"] and free["longest"] > 2 * first["longest"]
                       and abs(calm[1] / calm[0] - 1) < 0.05, CONDITION),
        figures={"mean_fcfs_ms": first["mean"], "mean_ms": free["mean"], "mean_bounded_ms": bound["mean"],
                 "longest_fcfs_ms": first["longest"], "longest_ms": free["longest"], "longest_bounded_ms": bound["longest"]},
    )


def flood() -> Finding:
    """A quiet client next to one who floods."""
    requests = orders.flood(seed=1)
    before, after = (orders.client_p95_ms(run(requests)) for run in (orders.first_come, orders.fair))
    return Finding(
        text=Text(
            f"one of four clients floods: p95 of a quiet one {before['B']:.0f} ms in order of arrival, {after['B']:.0f} ms "
            "with token counters",
            f"uno de cuatro clientes envía una avalancha: p95 de uno tranquilo {before['B']:.0f} ms por orden de "
            f"llegada, {after['B']:.0f} ms con contadores de tokens",
        ),
        verdict=judged(before["B"] > 5 * after["B"], WRONG), figures={"fcfs_ms": before["B"], "vtc_ms": after["B"]},
    )


def bounded_difference() -> Finding:
    """By how much the service of two clients differs while both wait, against the paper's bound."""
    requests = [orders.flood(200, seed=seed) for seed in (1, 2)]
    limit = min(map(orders.bound_apart, requests))
    fcfs, fair = (max(orders.most_apart(run(each)) for each in requests) for run in (orders.first_come, orders.fair))
    return Finding(
        text=Text(f"2U is {limit:.0f} tokens here; apart by at most {fair:.0f} with VTC, {fcfs:.0f} in order of arrival",
                  f"2U son aquí {limit:.0f} tokens; como mucho {fair:.0f} de diferencia con VTC, {fcfs:.0f} por orden de llegada"),
        verdict=judged(fair <= limit < fcfs, HOLDS), figures={"bound": limit, "vtc": fair, "fcfs": fcfs},
    )


def two_pools() -> Finding:
    """Two machines for prefill and two for decode against four that do both, on long prompts."""
    lengths = two_kinds.request_lengths("documents", 300)
    runs = two_kinds.over_rates(lengths, (80,), 2, num_requests=300)
    split, pieces, whole = (two_kinds.p95_ms(run.tpot_s) for [run] in runs.values())
    per_s = [two_kinds.saturated_per_s(lengths, **settings) for settings in two_kinds.fleets(2).values()]
    slow = two_kinds.saturated_per_s(lengths, two_kinds.kinds_of(2), LINKS["25 Gb/s"])
    return Finding(
        text=Text(
            f"documents on four machines, TPOT p95 at 80/s: {split:.1f} ms if separate, {pieces:.1f} mixed in pieces, "
            f"{whole:.1f} mixed whole; at most {per_s[0]:.0f} / {per_s[1]:.0f} / {per_s[2]:.0f} requests/s, and {slow:.0f} if "
            "separate over 25 Gb/s",
            f"documentos en cuatro máquinas, p95 de TPOT con 80/s: {split:.1f} ms separadas, {pieces:.1f} mixtas por trozos, "
            f"{whole:.1f} mixtas enteros; como mucho {per_s[0]:.0f} / {per_s[1]:.0f} / {per_s[2]:.0f} peticiones/s, separadas "
            f"con 25 Gb/s {slow:.0f}",
        ),
        verdict=judged(split < 0.7 * min(pieces, whole) and slow < per_s[0] < per_s[2], CONDITION),
        figures={"tpot_split_ms": split, "tpot_pieces_ms": pieces, "tpot_whole_ms": whole, "split_per_s": per_s[0],
                 "pieces_per_s": per_s[1], "whole_per_s": per_s[2], "slow_link_per_s": slow},
    )


def affinity() -> Finding:
    """Routing to the cached prefix, with a bound and without, when one prefix is popular."""
    requests = fleet_of_prefixes(800, rate_per_s=800, popularity=1.5, seed=1)
    ways = {"random": ROUTERS["random"](1), "least": ROUTERS["least"](1), "prefix": affine(), "strict": affine(800)}
    ms = {name: two_kinds.p95_ms(serve_prefixes(requests, way, two_kinds.REPLICAS).ttft_s) for name, way in ways.items()}
    return Finding(
        text=Text(
            f"TTFT p95 with one popular instruction: random {ms['random']:.0f} ms, fewest in flight {ms['least']:.0f}, prefix "
            f"within a limit {ms['prefix']:.0f}, prefix without one {ms['strict']:.0f}",
            f"p95 de TTFT con una instrucción popular: al azar {ms['random']:.0f} ms, la de menos en vuelo {ms['least']:.0f}, "
            f"prefijo con límite {ms['prefix']:.0f}, prefijo sin límite {ms['strict']:.0f}",
        ),
        verdict=judged(ms["prefix"] < ms["least"] < ms["random"] < ms["strict"], CONDITION),
        figures={f"{name}_ms": value for name, value in ms.items()},
    )


CLAIMS = (
    Claim(
        id="shortest-first", lab="06 · 6.3", measure=shortest_first,
        said=Text("Shortest job first lowers latency.", "Atender primero a la más corta baja la latencia."),
        literature=Text("the mean (Smith, 1956); with predicted lengths Fu et al. (NeurIPS 2024)",
                        "la media (Smith, 1956); con longitudes predichas, Fu et al. (NeurIPS 2024)"),
    ),
    Claim(
        id="first-come-fair", lab="06 · 6.4", measure=flood,
        said=Text("First come, first served is fair.", "Atender por orden de llegada es lo justo."),
        literature=Text("between requests, not between clients: VTC (Sheng et al., OSDI 2024)",
                        "entre peticiones, no entre clientes: VTC (Sheng et al., OSDI 2024)"),
    ),
    Claim(
        id="token-counters", lab="06 · 6.4", measure=bounded_difference,
        said=Text("Token counters limit how far apart two clients' service can be.",
                  "Los contadores de tokens acotan cuánto puede diferir el servicio de dos clientes."),
        literature=Text("by 2U while both have requests waiting (Sheng et al., OSDI 2024)",
                        "en 2U mientras ambos tienen peticiones en espera (Sheng et al., OSDI 2024)"),
    ),
    Claim(
        id="two-kinds", lab="06 · 6.5", measure=two_pools,
        said=Text("Prefill and decode belong on separate machines.", "Prellenado y decodificación deben ir en máquinas separadas."),
        literature=Text("DistServe (OSDI 2024): up to 7.4 times the requests within latency targets; Splitwise (ISCA 2024)",
                        "DistServe (OSDI 2024): hasta ×7.4 peticiones dentro de objetivos de latencia; Splitwise (ISCA 2024)"),
    ),
    Claim(
        id="prefix-routing", lab="06 · 6.5", measure=affinity,
        said=Text("Send a request to where its prefix is cached.", "Envía cada petición adonde esté en caché su prefijo."),
        literature=Text("Preble (ICLR 2025), the routers of SGLang and Ray Serve: within a limit on the load",
                        "Preble (ICLR 2025), los routers de SGLang y Ray Serve: con un límite de carga"),
    ),
)
