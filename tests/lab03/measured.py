"""What is measured on this machine beside the graded figures: the p95 reduction on the clock of its processor."""

from minigpt.analysis import metrics
from minigpt.simulation.calibrate import measure_pairs, median_pair

NUM_REQUESTS = 100  # more would be surer, and a grade has twenty seconds


def measure(student) -> dict:
    """The reduction on the CPU clock with its bootstrap interval: the median of three calibrated pairs."""

    def loop(workload, clock):
        return student.run_loop("continuous", workload, clock=clock, tokens="model")

    pair = median_pair(measure_pairs(loop, num_requests=NUM_REQUESTS))
    return {
        "cpu_p95_reduction_percent": pair.p95_reduction_percent,
        "cpu_interval_percent": metrics.bootstrap_interval(pair.static_s, pair.continuous_s),
    }
