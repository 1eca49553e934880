"""The READMEs' figures, from real runs of the reference: `python -m tests.tools.figures`."""

import os
import sys

from minigpt import paths, plots
from minigpt.simulation.run import replay_both
from minigpt.workloads.workload import workload

FOLDER = paths.repository_root() / "labs" / "figures"
FILES = {"en": FOLDER / "timelines.png", "es": FOLDER / "timelines.es.png"}


def main(argv: list[str]) -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    runs = replay_both(workload("mixed", load=0.7, num_requests=60, seed=7), impl="given")
    for language, path in FILES.items():
        os.environ["MINIGPT_LANG"] = language
        plots.slot_timelines.figure(runs, first_s=0.35).savefig(path, dpi=110)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
