"""One engine in a process of its own: warmed up, measured once, and what it served written as JSON.

    python -m minigpt.extras.engines.worker hf-generate --folder DIR --workload FILE --out FILE
"""

import argparse
import gc
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

from minigpt.llm.threads import use_threads

use_threads(1)

from minigpt.extras.engines.catalog import ENGINES  # noqa: E402  (the thread count is set before anything loads)
from minigpt.extras.engines.interface import Served, Setting  # noqa: E402
from minigpt.language import say  # noqa: E402
from minigpt.schedulers.lab_file import unwritten  # noqa: E402
from minigpt.workloads.files import read_workload  # noqa: E402

WARM_UP_TOKENS = 4  # of every request: prompts are prefilled, steps are compiled, memory is touched


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=[engine.name for engine in ENGINES])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--workload", type=Path, required=True)
    parser.add_argument("--inflight", type=int, default=16)
    parser.add_argument("--impl", default="solution")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    module = next(engine for engine in ENGINES if engine.name == args.engine).load()
    missing = module.absent()
    result = {"absent": missing} if missing else attempt(module, args)
    args.out.write_text(json.dumps(result), encoding="utf-8")
    return 0


def attempt(module, args: argparse.Namespace) -> dict:
    """Measure; any exception that an engine raises becomes its row's reason."""
    items = read_workload(args.workload).items
    setting = Setting(
        folder=args.folder, num_inflight=args.inflight, impl=args.impl,
        num_tokens=max(len(item.prompt_token_ids) + item.max_tokens for item in items),
    )
    try:
        return measure(module, setting, items)
    except NotImplementedError as stub:  # a student's exercise
        missing = unwritten(stub)
        return {"failure": say(en=f"not written yet: {missing}", es=f"aún sin escribir: {missing}")}
    except Exception as error:  # a third-party engine may raise anything
        return {"failure": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"}


def measure(module, setting: Setting, items) -> dict:
    begun_s = time.perf_counter()
    with module.opened(setting) as serve:
        start_up_s = time.perf_counter() - begun_s
        check(serve(shortened := shorter(items)), shortened)
        gc.collect()
        gc.freeze()  # for every engine alike: no full collection, of all that is loaded, in the middle of a short measurement
        start_s = time.process_time()  # all threads of this process
        served = serve(items)
        cpu_s = time.process_time() - start_s
    check(served, items)
    return {"start_up_s": start_up_s, "cpu_s": cpu_s, "served": [asdict(one) for one in served]}


def shorter(items) -> list:
    """The same requests with only a few tokens each."""
    return [replace(item, max_tokens=min(WARM_UP_TOKENS, item.max_tokens)) for item in items]


def check(served: list[Served], items) -> None:
    """Raise ValueError unless every request was answered with exactly as many tokens as it asked for."""
    counts = {one.request_id: len(one.token_ids) if one.num_tokens is None else one.num_tokens for one in served}
    for item in items:
        got = counts.get(item.request_id)
        if got != item.max_tokens:
            raise ValueError(f"request {item.request_id}: {got} tokens instead of {item.max_tokens}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
