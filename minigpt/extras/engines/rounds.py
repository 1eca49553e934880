"""Interleaved rounds: every engine once a round, each time in a fresh process, and the rounds repeated."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from minigpt.environment.process import child_environment
from minigpt.extras.engines.catalog import OURS, Engine
from minigpt.extras.engines.interface import Served
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.paths import repository_root
from minigpt.workloads.files import write_workload
from minigpt.workloads.workload import Workload

MOST_S = 900  # of one engine's turn
FEW_LETTERS = 200


@dataclass(slots=True, kw_only=True)
class Runs:
    """One engine's rounds; `reason` says why there are none."""

    engine: Engine
    rounds: list[list[Served]] = field(default_factory=list)
    start_up_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)  # processor time of each round, in the worker's process
    reason: str = ""
    is_absent: bool = False


def measure_all(
    engines: list[Engine], workload: Workload, folder: Path, python: Path, *, repeats: int, inflight: int, impl: str
) -> list[Runs]:
    """Every engine's rounds; one that failed or is absent has a reason and is not tried again."""
    runs = [Runs(engine=engine) for engine in engines]
    with tempfile.TemporaryDirectory() as scratch:
        requests = Path(scratch) / "requests.jsonl"
        write_workload(workload, requests)
        # Every other round in reverse order, so that no engine always follows the same one.
        turns = [one for number in range(repeats) for one in (runs[::-1] if number % 2 else runs)]
        for one in progress(turns, say(en="engines", es="motores")):
            if not one.reason:
                options = ["--folder", folder, "--workload", requests, "--inflight", inflight, "--impl", impl]
                # The student's loop runs where the student's code runs.
                interpreter = sys.executable if one.engine.name == OURS else python
                note(one, take_turn(interpreter, one.engine.name, options, Path(scratch)))
    return runs


def take_turn(interpreter, name: str, options: list, scratch: Path) -> dict:
    """Let one engine serve the requests once, in a new process; return its result, or why there is none."""
    out = scratch / "result.json"
    out.unlink(missing_ok=True)
    parts = [interpreter, "-m", "minigpt.extras.engines.worker", name, *options, "--out", out]
    with open(scratch / "errors.txt", "w+b") as errors:
        try:
            status = subprocess.run(
                [str(part) for part in parts], cwd=repository_root(), env=quiet_environment(), timeout=MOST_S,
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
            ).returncode
        except (subprocess.TimeoutExpired, OSError) as error:
            return {"failure": str(error)[:FEW_LETTERS]}
        if status == 0 and out.is_file():
            return json.loads(out.read_text(encoding="utf-8"))
        errors.seek(0)
        lines = errors.read().decode("utf-8", errors="replace").strip().splitlines()
    last = lines[-1][:FEW_LETTERS] if lines else ""
    return {"failure": say(en=f"its process ended with status {status}: {last}",
                           es=f"su proceso terminó con estado {status}: {last}")}


def quiet_environment() -> dict[str, str]:
    """One thread, no network, and the Hugging Face library's own warnings kept back."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    settings = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}
    return child_environment({**one_thread, **settings, "VLLM_LOGGING_LEVEL": "ERROR"})


def note(runs: Runs, result: dict) -> None:
    """Add one turn's result to an engine's rounds."""
    if "served" not in result:
        runs.is_absent = "absent" in result
        runs.reason = result.get("absent") or result.get("failure") or "?"
        return
    served = [Served(**{**one, "token_ids": tuple(one["token_ids"])}) for one in result["served"]]
    runs.rounds.append(sorted(served, key=lambda one: one.request_id))
    runs.start_up_s.append(result["start_up_s"])
    runs.cpu_s.append(result["cpu_s"])
