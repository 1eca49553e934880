"""Steps that check guesses: several tokens of a sequence in one pass, and the cache rolled back where they were wrong."""

from minigpt.language import say
from minigpt.runtime.clock import NS, StepShape
from minigpt.runtime.errors import ServingError
from minigpt.runtime.paged.executor import PagedExecutor
from minigpt.runtime.paged.model_runner import Chunk
from minigpt.runtime.request import Request
from minigpt.runtime.run_log import RequestLog


class SpeculativeExecutor(PagedExecutor):
    """Runs chunks as `PagedExecutor` does, and running sequences with guesses of their next tokens."""

    def forward_guesses(self, parts: list[tuple[Request, int, list[int]]]) -> list[list[int] | None]:
        """One step over (request, num_tokens, guesses): for each request the model's own choices, in their order.

        There is one choice more than guesses: choice j is the model's next token after the first j of them. So a
        request without guesses gets one token, as in `forward_chunks`, and a piece of a prompt gets None. The loop
        says what it keeps with `keep`, before the request's next step.
        """
        records = self._records_of([request for request, _, _ in parts])
        self._limit.spend()
        work = [self._guessing(record, num_tokens, guesses)
                for record, (_, num_tokens, guesses) in zip(records, parts)]
        shape, start_ns = shape_of_guesses(work), self._time.now_ns
        choices = self._time.step(shape, lambda: self._runner.compute_guesses(work))
        for (request, _, _), record, chunk in zip(parts, records, work):
            record.num_computed_tokens += len(chunk.token_ids) + len(chunk.guesses)
            request.num_computed_tokens = record.num_computed_tokens
        self._note(start_ns, shape, work)
        return [choices[chunk.request_id] if chunk.is_last else None for chunk in work]

    def keep(self, request: Request, token_ids: list[int], num_dropped: int) -> None:
        """Take these tokens as the request's next, and drop K and V of the last `num_dropped` computed ones."""
        record = self.record_of(request)
        if not 0 <= num_dropped < record.num_computed_tokens:
            raise ServingError(say(
                en=f"request {request.request_id} has {record.num_computed_tokens} computed tokens, but {num_dropped} are to "
                   "be dropped: at least one must stay",
                es=f"la petición {request.request_id} tiene {record.num_computed_tokens} tokens calculados, pero se quieren "
                   f"descartar {num_dropped}: debe quedar al menos uno",
            ))
        record.num_computed_tokens -= num_dropped
        request.num_computed_tokens = record.num_computed_tokens
        if num_dropped:
            self._runner.roll_back(request.request_id, record.num_computed_tokens)
        for token in token_ids:
            if not record.ended:
                record.accept(token, self._time.now_ns)
        if record.token_times_ns:
            request.first_token_time_s = record.token_times_ns[0] / NS
        self._publish(record)

    def _guessing(self, record: RequestLog, num_tokens: int, guesses: list[int]) -> Chunk:
        chunk = self._chunk(record, num_tokens)
        if not guesses:
            return chunk
        name = record.item.request_id
        held = len(self._pool.block_table(name)) * self._pool.block_size
        if not chunk.is_decode or not chunk.is_last or chunk.num_computed + 1 + len(guesses) > held:
            raise ServingError(say(
                en=f"request {name} cannot take {len(guesses)} guesses: it must be decoding, with blocks for all of them",
                es=f"la petición {name} no admite {len(guesses)} tokens adivinados: debe estar decodificando y tener "
                "bloques para todos",
            ))
        return chunk.with_guesses(tuple(guesses))


def shape_of_guesses(work: list[Chunk]) -> StepShape:
    """What a step computes: a guess is one more row in the products, and K and V are read once a sequence."""
    decodes = [chunk for chunk in work if chunk.is_decode]
    prompts = [chunk for chunk in work if not chunk.is_decode]
    return StepShape(
        num_decode=sum(1 + len(chunk.guesses) for chunk in decodes),
        num_prefill_tokens=sum(len(chunk.token_ids) for chunk in prompts),
        num_context_tokens=sum(c.num_computed + 1 + len(c.guesses) for c in decodes) + sum(c.num_computed for c in prompts),
    )
