"""Where Ray Serve's proxy sends a request: to the replica with the fewest inside, as in Lab 04's fleet.

Ray Serve's own router takes two replicas at random and the emptier of the two ("power of two choices"), and looks on
the proxy's own machine first: there it stays until no replica of that machine has room. So a second machine would stay
idle while the first fills up. Asking every replica costs more the more there are; two random ones are the
choice for hundreds of them (Mitzenmacher, The Power of Two Choices in Randomized Load Balancing, IEEE TPDS 2001).

Ray calls the interface of routers "alpha": it may change. requirements-ray.txt therefore names one minor version.
"""

from ray.serve.request_router import FIFOMixin, PendingRequest, RequestRouter, RunningReplica


class LeastInFlight(FIFOMixin, RequestRouter):
    """First come, first served, by the replica with the shortest queue (on a tie, the first such replica)."""

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        """All of them, in one rank: within a rank, Ray takes the one with the shortest queue that has room."""
        if pending_request is not None:
            # No other replica is left to ask: if all are full, Ray may pause before it asks again.
            pending_request.routing_context.should_backoff = True
        return [list(candidate_replicas)]
