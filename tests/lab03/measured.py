"""What is measured on this machine in addition to the graded figures: the p95 reduction on the CPU clock."""

from minigpt.analysis import metrics
from minigpt.simulation.paired_runs import calibrated_runs

NUM_REQUESTS = 100  # more would be surer, and a grade has twenty seconds


def measure(student) -> dict:
    """The reduction on the CPU clock with its bootstrap interval: the median of three calibrated pairs."""

    def serve(workload, clock):
        return student.run_loop("continuous", workload, clock=clock, tokens="model")

    pair = calibrated_runs(serve, num_requests=NUM_REQUESTS).median
    return {
        "cpu_p95_reduction_percent": pair.p95_reduction_percent,
        "cpu_interval_percent": metrics.bootstrap_interval(metrics.e2e_s(pair.static), metrics.e2e_s(pair.continuous)),
    }
