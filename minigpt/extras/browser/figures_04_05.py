"""The pictures of labs 04 and 05, as plain numbers: one area counted twice, and who holds which block."""

from minigpt.analysis.block_stays import holdings
from minigpt.analysis.littles_law import number_inside
from minigpt.language import say
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.runtime.run_log import RunLog
from minigpt.simulation.paged_run import serve
from minigpt.simulation.run import replay
from minigpt.workloads.workload import Workload, scene, workload

NS_PER_MS = 1_000_000
# The scene of section 4.1: arrivals in ms and lengths.
STAYS, NUM_SLOTS = {"A": (0, 3), "B": (0, 8), "C": (1, 4), "D": (9, 3)}, 2
SHOWN_MS = 150.0  # of a run with blocks, as in the notebook
BLOCKS = 24


def area() -> dict:
    """The scene of Little's law: each stay as a row, the number inside as columns, and the three means."""
    log = replay("continuous", scene(**STAYS), impl="given", clock="steps", tokens="scripted", max_inflight=NUM_SLOTS)
    records, end_s = log.records(), log.end_ns / 1e9
    times = sorted({0.0, *(record[key] for record in records for key in ("arrival_s", "finish_s"))})
    inside = number_inside(records, "system", times)
    stay_ms = sum(1e3 * (record["finish_s"] - record["arrival_s"]) for record in records)
    end_ms = 1e3 * end_s
    return {
        "rows": [[name, *(1e3 * record[key] for key in ("arrival_s", "admitted_s", "finish_s"))]
                 for name, record in zip(STAYS, records)],
        "inside": [[1e3 * time, number] for time, number in zip(times, inside)], "end_ms": end_ms,
        "rate_per_ms": len(records) / end_ms, "stay_ms": stay_ms / len(records), "mean_inside": stay_ms / end_ms,
        "sentence": say(
            en=f"{len(records)} requests stay {stay_ms:.0f} ms in all, within {end_ms:.0f} ms; at most {max(inside)} are inside.",
            es=f"{len(records)} peticiones se quedan {stay_ms:.0f} ms en total, en {end_ms:.0f} ms; llega a haber {max(inside)} dentro."),
    }


def crowd() -> Workload:
    """More than the memory holds."""
    return workload("mixed", load=1.3, num_requests=120, seed=7)


def limits(num_blocks: int) -> dict:
    """The server of section 5.5, with this many blocks."""
    return {"num_blocks": num_blocks, "token_budget": 32}


def given_blocks(num_blocks: int = BLOCKS) -> PagedRunLog:
    """The run of the given loop."""
    return serve(crowd(), impl="given", **limits(num_blocks))


def block_map(log: PagedRunLog | RunLog) -> dict:
    """Blocks over time, what lies in them, and who had to give way."""
    end_ms = min(SHOWN_MS, log.end_ns / NS_PER_MS)
    stays = [[block, request, start / NS_PER_MS, end / NS_PER_MS] for block, request, start, end in holdings(log)
             if start / NS_PER_MS < end_ms]
    uses = [use for use in log.memory if use.time_ns / NS_PER_MS <= end_ms]
    return {
        "num_blocks": log.num_blocks, "block_size": log.block_size, "end_ms": end_ms, "stays": stays,
        "use": [[use.time_ns / NS_PER_MS, use.num_used_blocks * log.block_size, use.num_stored_tokens] for use in uses],
        "preemptions": [[each.time_ns / NS_PER_MS, each.way] for each in log.preemptions if each.time_ns / NS_PER_MS <= end_ms],
        "num_preemptions": len(log.preemptions), "most_running": log.most_running, "waste_percent": log.waste_percent,
        "sentence": say(
            en=f"{log.num_blocks} blocks; at most {log.most_running} requests hold some at once; requests had to give their "
               f"blocks back {len(log.preemptions)} times.",
            es=f"{log.num_blocks} bloques; llega a haber {log.most_running} peticiones con bloques a la vez; alguna petición "
               f"tuvo que devolver los suyos {len(log.preemptions)} veces."),
    }
