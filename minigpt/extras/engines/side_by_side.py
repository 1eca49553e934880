"""The whole comparison: requests, exports, rounds, rows."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from minigpt.environment.process import child_environment
from minigpt.extras.engines import installing
from minigpt.extras.engines.catalog import OURS, choose
from minigpt.extras.engines.report import Row, rows
from minigpt.extras.engines.rounds import measure_all
from minigpt.extras.engines.table import table
from minigpt.language import say
from minigpt.llm.checkpoint_io import CHECKPOINT, load_checkpoint
from minigpt.llm.tutor import load_tutor
from minigpt.paths import repository_root
from minigpt.workloads.workload import Workload, arriving, requests_of_lengths

SHORTEST, LONGEST = 8, 128  # output tokens
QUICK = ("hf-generate", "hf-continuous", "openvino")  # in process: no server to wait for


def mixed_requests(num_requests: int, seed: int = 0) -> Workload:
    """Requests of 8 to 128 output tokens, EOS ignored, all there at once."""
    if num_requests < 1:
        raise ValueError(f"requests={num_requests}: give at least one")
    rng = random.Random(seed)
    items = requests_of_lengths([rng.randint(SHORTEST, LONGEST) for _ in range(num_requests)], rng)
    return arriving(items, [0.0] * num_requests, f"{SHORTEST}–{LONGEST} tokens")


def measure(
    workload: Workload, python: Path, *, names: list[str] | None = None, repeats: int = 3, inflight: int = 16,
    impl: str = "solution",
) -> list[Row]:
    """One row per engine; `python` is the interpreter that has them."""
    for name, value in (("repeats", repeats), ("inflight", inflight)):
        if value < 1:
            raise ValueError(f"{name}={value}: give at least one")
    engines = choose(names)
    with tempfile.TemporaryDirectory() as folder:
        export_for_engines(python, Path(folder))
        model = load_checkpoint(Path(folder))
        runs = measure_all(engines, workload, Path(folder), python, repeats=repeats, inflight=inflight, impl=impl)
    return rows(model, workload.items, runs)


class Shown(str):
    """A text that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


def compare_with_mine(impl: str, num_requests: int = 48, inflight: int = 16) -> Shown:
    """For the notebook: a quick table with the loop of `impl`; without the engines, its own row and how to get them."""
    workload = mixed_requests(num_requests)
    if not installing.is_installed():
        own = measure_all(
            choose([OURS]), workload, CHECKPOINT, sys.executable, repeats=1, inflight=inflight, impl=impl
        )
        return Shown(f"{table(rows(load_tutor(), workload.items, own))}\n\n{installing.how_to_install()}")
    python, names = installing.engines_python(), list(QUICK)
    return Shown(table(measure(workload, python, names=names, repeats=1, inflight=inflight, impl=impl)))


def export_for_engines(python: Path, folder: Path) -> None:
    """Export the tutor by the engines' interpreter, which has the package gguf."""
    command = [str(python), "-m", "minigpt", "export", str(folder), "--endless"]
    done = subprocess.run(
        command, cwd=repository_root(), env=child_environment({"MINIGPT_ENV": "current"}), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", errors="replace",
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        raise ValueError(say(en=f"the export failed with {python}: {last}",
                             es=f"la exportación falló con {python}: {last}"))
