"""`python -m tests.extras.soak --minutes 5`: random clients against a server for a while. What does it not let go?

The server and its engine run in processes of their own (`python -m minigpt serve`): theirs is the memory.
After a first part for warming up, the median of the memory samples at the start is compared with that at the end.
"""

import argparse
import asyncio
import collections
import os
import statistics
import subprocess
import sys
import time

import psutil

from minigpt.paths import repository_root
from tests.extras.http_clients import get, many
from tests.extras.serving_process import start

MOST_GROWTH_PERCENT = 5.0
WARM_UP_SHARE = 0.2  # buffers, caches and the KV cache's pages are touched once
CLIENTS_AT_ONCE = 16


async def run_clients(port: int, process: subprocess.Popen, seconds: float):
    """Waves of random clients: how many of each kind, and samples (time, bytes) of the server's memory."""
    server, counts, samples = psutil.Process(process.pid), collections.Counter(), []
    started, seed = time.monotonic(), 0
    while (passed_s := time.monotonic() - started) < seconds:
        wave = await many(port, range(seed, seed + 64), CLIENTS_AT_ONCE)
        counts.update(client.__name__ for client in wave)
        sizes = [each.memory_info().rss for each in (server, *server.children(recursive=True))]
        samples.append((passed_s, sum(sizes)))
        seed += 64
    return counts, samples


def growth_percent(samples, seconds: float) -> float:
    """From the first samples after warming up to the last ones, a fifth of the run each."""
    early = [size for passed_s, size in samples if WARM_UP_SHARE <= passed_s / seconds < 2 * WARM_UP_SHARE]
    late = [size for passed_s, size in samples if passed_s / seconds >= 1 - WARM_UP_SHARE]
    return 100 * (statistics.median(late) / statistics.median(early) - 1)


def left_over(port: int) -> dict[str, float]:
    """The gauges that must be back at zero, once the last clients' requests have left."""
    names = ("num_requests_waiting", "num_requests_running", "kv_slots_used", "kv_tokens_used")
    deadline = time.monotonic() + 10
    while True:
        lines = dict(line.rsplit(" ", 1) for line in get(port, "/metrics").body.decode().splitlines() if line[0] != "#")
        values = {name: float(lines[f"minigpt_{name}"]) for name in names}
        if not any(values.values()) or time.monotonic() > deadline:
            return values
        time.sleep(0.1)


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.extras.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--policy", default="continuous")
    args = parser.parse_args(argv)
    seconds = args.minutes * 60
    process, port = start("--impl", "solution", "--policy", args.policy)
    try:
        counts, samples = asyncio.run(run_clients(port, process, seconds))
        growth, values = growth_percent(samples, seconds), left_over(port)
        is_healthy = get(port, "/health").status == 200
    finally:
        process.terminate()
        status = process.wait(60)
    print(f"{sum(counts.values())} clients ({dict(counts)}), {len(samples)} memory samples")
    print(f"memory {samples[0][1] / 1e6:.1f} … {samples[-1][1] / 1e6:.1f} MB, growth {growth:+.2f} % "
          f"(at most {MOST_GROWTH_PERCENT:g} %)")
    print(f"left over: {values}; healthy: {is_healthy}; exit status {status}")
    is_good = growth <= MOST_GROWTH_PERCENT and not any(values.values()) and is_healthy and status == 0
    return 0 if is_good else 1


if __name__ == "__main__":
    os.chdir(repository_root())
    sys.exit(main())
