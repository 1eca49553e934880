"""The paged scheduler with speculation by prompt lookup: guess a few tokens, check all of them in one pass (given).

Guesses come from the request's own text, without a second model (prompt lookup; Saxena, 2023). Lab 06 writes the two
decisions: what to guess, and what to keep.
"""

from minigpt.schedulers.paged import PagedScheduler
from minigpt.schedulers.static import take_token


class SpeculativeScheduler(PagedScheduler):
    """Every running request brings guesses to its step, if it has any and blocks for them are free."""

    def with_functions(self, **functions) -> "SpeculativeScheduler":
        """The same scheduler with some decisions made by other functions, by name."""
        changed = SpeculativeScheduler()
        for name, function in functions.items():
            setattr(changed, name, function)
        return changed

    def run_step(self, server, plan: list, running: list) -> None:
        """Compute a step and keep what the model agrees with; those that end in it are answered and leave."""
        parts = [(request, num_tokens, self.guesses(server, request, num_tokens)) for request, num_tokens in plan]
        for (request, _, guesses), choices in zip(parts, server.model.forward_guesses(parts)):
            if choices is None:  # a piece of a prompt, whose last token is not computed yet
                continue
            tokens, num_dropped = self.accept(guesses, choices)
            server.model.keep(request, tokens, num_dropped)
            # any() ends at EOS or at the token limit: nothing after it is the answer's
            if any(take_token(request, token, server.model.eos_token_id) for token in tokens):
                running.remove(request)
                server.respond(request)

    def guesses(self, server, request, num_tokens: int) -> list[int]:
        """What a running request may check in this step: no more than it can still say, and than fits its blocks."""
        room = min(server.num_guesses, request.max_tokens - request.num_output_tokens - 1)
        if num_tokens > 1 or not request.num_computed_tokens or not request.num_output_tokens or room < 1:
            return []
        found = list(self.propose([*request.prompt_token_ids, *request.output_token_ids], room))
        fits = server.blocks.reserve(request, request.num_computed_tokens + 1 + len(found))
        return found if fits else []

    # -- the decisions ------------------------------------------------------------------------------------------------

    @staticmethod
    def propose(token_ids: list[int], num_tokens: int, longest: int = 3) -> list[int]:
        """What came after the latest earlier place with the same last tokens: `longest` of them, or fewer."""
        for length in range(min(longest, len(token_ids) - 1), 0, -1):
            ending = token_ids[-length:]
            for start in reversed(range(len(token_ids) - length)):
                if token_ids[start : start + length] == ending:
                    return token_ids[start + length : start + length + num_tokens]
        return []

    @staticmethod
    def accept(guesses: list[int], choices: list[int]) -> tuple[list[int], int]:
        """The guesses up to the first that the model would not have said, and its own token there; how many to drop."""
        num_right = 0
        while num_right < len(guesses) and guesses[num_right] == choices[num_right]:
            num_right += 1
        return choices[: num_right + 1], len(guesses) - num_right


speculative_loop = SpeculativeScheduler()
