"""Continuous batching on paged KV: a line with priorities, admission by memory, chunked prefill, preemption.

The whole scheduler on one screen, as given code. In Lab 05 students write its five decisions; here they are methods, so
that a notebook can replace one by a student's function (`PagedScheduler.with_functions`).
"""

import math

from minigpt.schedulers.static import take_token


class PagedScheduler:
    """Serves with a pool of blocks: the loop, and the decisions that it makes at every step."""

    def __call__(self, server) -> None:
        """Serve until the queue is closed and no request waits or runs."""
        waiting, running = [], []
        while waiting or running or not server.queue.closed:
            self.take_arrivals(server, waiting, running)
            self.admit(server, waiting, running)
            if running:
                plan = self.plan_step(running, server.token_budget)
                self.run_step(server, self.make_room(server, plan, waiting, running), running)

    def with_functions(self, **functions) -> "PagedScheduler":
        """The same scheduler with some decisions made by other functions, by name."""
        changed = PagedScheduler()
        for name, function in functions.items():
            setattr(changed, name, function)
        return changed

    # -- the loop's parts ---------------------------------------------------------------------------------------------

    def take_arrivals(self, server, waiting: list, running: list) -> None:
        """Move arrived requests to `waiting`; refuse those that the whole pool could not hold."""
        arrived = [] if waiting or running else [server.queue.get()]
        while not server.queue.empty():
            arrived.append(server.queue.get_nowait())
        for request in arrived:
            needed = server.blocks.needed(request.num_prompt_tokens + request.max_tokens)
            if needed > server.blocks.num_total:
                server.refuse(request, f"needs up to {needed} blocks, and the pool has {server.blocks.num_total}")
            else:
                waiting.append(request)

    def admit(self, server, waiting: list, running: list) -> None:
        """Admit in the order of the line while there is a slot and memory; no request overtakes the first."""
        in_line = self.in_line(server)
        waiting.sort(key=in_line)
        while waiting and len(running) < server.max_inflight:
            num_tokens = self.tokens_to_reserve(server, waiting[0], running)
            if num_tokens is None or not server.blocks.reserve(waiting[0], num_tokens):
                break
            running.append(waiting.pop(0))
        running.sort(key=in_line)

    def make_room(self, server, plan: list, waiting: list, running: list) -> list:
        """Reserve a step's blocks, starting with the first in line; preempt while too few are free; return what is left."""
        in_line = self.in_line(server)
        for request, num_tokens in sorted(plan, key=lambda part: in_line(part[0])):
            while request in running and not server.blocks.reserve(request, request.num_computed_tokens + num_tokens):
                waiting.append(self.preempt_last(server, running))
        return [part for part in plan if part[0] in running]

    def run_step(self, server, plan: list, running: list) -> None:
        """Compute a step; requests that end in it are answered and leave."""
        for (request, _), token in zip(plan, server.model.forward_chunks(plan)):
            # None: a piece of a prompt, whose last token is not computed yet
            if token is not None and take_token(request, token, server.model.eos_token_id):
                running.remove(request)
                server.respond(request)

    def in_line(self, server):
        """The sort key of this server's line."""
        return lambda request: self.place_in_line(request, server.aging_s)

    # -- the decisions ------------------------------------------------------------------------------------------------

    @staticmethod
    def place_in_line(request, aging_s: float) -> tuple[float, int]:
        """First come, first served, except that each step of priority is worth `aging_s` seconds of waiting."""
        return request.arrival_time_s + request.priority * aging_s, request.request_id

    @staticmethod
    def tokens_to_reserve(server, request, running: list) -> int | None:
        """Tokens for which blocks are taken at admission; None if the request has to wait."""
        most = request.num_prompt_tokens + request.max_tokens
        num_tokens = request.num_tokens
        if server.admission == "max":
            num_tokens = most
        elif server.admission == "profiled":
            seen = sorted(server.profile)
            likely = seen[math.ceil(len(seen) * server.profile_percent / 100) - 1]
            num_tokens = min(most, max(num_tokens, request.num_prompt_tokens + likely))
        spare = server.blocks.num_free - (server.reserve_blocks if running else 0)
        return num_tokens if server.blocks.needed(num_tokens) <= spare else None

    @staticmethod
    def plan_step(running: list, token_budget: int | None) -> list[tuple]:
        """Every decode, then prompts or pieces of them while the budget lasts: (request, number of tokens)."""
        to_do = [(request, request.num_tokens - request.num_computed_tokens) for request in running]
        plan = [(request, 1) for request, num_tokens in to_do if num_tokens == 1]
        left = math.inf if token_budget is None else token_budget - len(plan)
        for request, num_tokens in to_do:
            share = min(num_tokens, left)
            if num_tokens > 1 and share > 0:
                plan.append((request, share))
                left -= share
        return plan

    def preempt_last(self, server, running: list):
        """Preempt the last in line, by the cheaper way, and return it."""
        last = max(running, key=self.in_line(server))
        running.remove(last)
        server.preempt(last, "swap" if swap_s(server, last) < recompute_s(server, last) else "recompute")
        return last


def swap_s(server, request) -> float:
    """Seconds to copy a request's blocks out and, later, in."""
    block_s = server.cost["swap_block_s"] + server.blocks.block_size * server.cost["swap_token_s"]
    return 2 * server.blocks.needed(request.num_computed_tokens) * block_s


def recompute_s(server, request) -> float:
    """Seconds to compute a request's K and V again."""
    return server.cost["prefill_s"] + server.cost["prefill_token_s"] * request.num_computed_tokens


production_loop = PagedScheduler()
