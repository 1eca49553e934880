"""What a live engine does not take in, what it does not let out, and whether it works at all."""

import contextlib
import threading

from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import EngineDown, EngineState
from minigpt.language import say
from minigpt.llm.tokenizer import VOCAB_SIZE
from minigpt.runtime.run_log import RequestLog


def check_request(prompt_token_ids, max_tokens: int, stop, context: int) -> None:
    """Refuse token ids that the model does not have, more of them than it can hold, and none at all."""
    if not len(prompt_token_ids) or max_tokens < 1:
        raise ValueError(say(
            en=f"prompt has {len(prompt_token_ids)} tokens and max_tokens={max_tokens}: both need at least one",
            es=f"el prompt tiene {len(prompt_token_ids)} tokens y max_tokens={max_tokens}: cada uno necesita uno o más",
        ))  # fmt: skip
    wrong = [token for token in prompt_token_ids if not 0 <= token < VOCAB_SIZE]
    if wrong:
        raise ValueError(say(
            en=f"token id {wrong[0]} is not in the vocabulary: choose 0 to {VOCAB_SIZE - 1}",
            es=f"el id de token {wrong[0]} no está en el vocabulario: elige de 0 a {VOCAB_SIZE - 1}",
        ))  # fmt: skip
    total = len(prompt_token_ids) + max_tokens
    if total > context:
        raise ValueError(say(
            en=f"prompt and max_tokens make {total} tokens, and the model's context holds {context}: shorten one",
            es=f"el prompt y max_tokens suman {total} tokens, y en el contexto del modelo caben {context}: acorta uno",
        ))  # fmt: skip
    if not all(stop):
        raise ValueError(say(en="stop has an empty sequence: drop it", es="stop trae una secuencia vacía: quítala"))


def answer_fault(record: RequestLog) -> str:
    """What is wrong with a loop's answer; empty if it is what the model computed, to its end."""
    if not record.ended:
        return say(en="the loop answered the request before it had ended",
                   es="el bucle respondió la petición antes de que terminara")  # fmt: skip
    if list(record.answer) != record.token_ids:
        return say(en="the loop's answer is not what the model computed",
                   es="la respuesta del bucle no es la que calculó el modelo")  # fmt: skip
    return ""


def try_out(engine, prompt_token_ids, max_tokens: int, timeout_s: float) -> EngineState:
    """Let an engine serve one request, or give up waiting for it; how the engine is then."""
    is_over = threading.Event()
    with contextlib.suppress(EngineDown, QueueFull):
        handle = engine.submit(prompt_token_ids, max_tokens, listener=lambda event: event.reason and is_over.set())
        if not is_over.wait(timeout_s):
            engine.cancel(handle)
    return engine.state
