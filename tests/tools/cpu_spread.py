"""`python -m tests.tools.cpu_spread [--repeats 20] [--busy 2]`: how far the CPU clock's p95 reduction spreads.

Repeats what `make grade LAB=03` shows, the median of three pairs, while other processes keep the cores busy.
"""

import argparse
import statistics
import subprocess
import sys

from tqdm import tqdm

from minigpt.llm.threads import torch_threads
from minigpt.schedulers.registry import find_policy, load_loop
from minigpt.simulation.paired_runs import calibrated_runs, serving_with


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.cpu_spread")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--busy", type=int, default=2, help="processes that keep a core busy")
    parser.add_argument("--requests", type=int, default=120, help="of each pair")
    args = parser.parse_args()
    torch_threads(1)
    serve = serving_with(load_loop(find_policy("continuous"), "solution"))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.busy)]
    try:
        found = [calibrated_runs(serve, num_requests=args.requests).median.p95_reduction_percent
                 for _ in tqdm(range(args.repeats))]
    finally:
        for process in busy:
            process.kill()
    print(f"p95 reduction on the CPU clock, {args.repeats} repeats: mean {statistics.mean(found):.1f} %, "
          f"standard deviation {statistics.stdev(found):.1f} points, {min(found):.0f} … {max(found):.0f} %")


if __name__ == "__main__":
    main()
