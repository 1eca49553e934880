"""Checks of a live engine: which requests and answers it refuses, and whether it works at all."""

import queue
import time
from collections.abc import Callable

from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import EngineDown, EngineState
from minigpt.extras.server.request_handle import FAILED, QUEUE_FULL, AnswerOptions
from minigpt.language import say
from minigpt.llm.tokenizer import VOCAB_SIZE, encode_prompt
from minigpt.runtime.run_log import RequestLog


def check_request(prompt_token_ids, max_tokens: int, options: AnswerOptions, context: int) -> None:
    """Refuse token ids outside the vocabulary, more tokens than the context holds, and none at all."""
    if not len(prompt_token_ids) or max_tokens < 1:
        raise ValueError(say(
            en=f"prompt has {len(prompt_token_ids)} tokens and max_tokens={max_tokens}: both need at least one",
            es=f"el prompt tiene {len(prompt_token_ids)} tokens y max_tokens={max_tokens}: cada uno necesita uno o más",
        ))
    wrong = [token for token in prompt_token_ids if not 0 <= token < VOCAB_SIZE]
    if wrong:
        raise ValueError(say(
            en=f"token id {wrong[0]} is not in the vocabulary: choose 0 to {VOCAB_SIZE - 1}",
            es=f"el id de token {wrong[0]} no está en el vocabulario: elige de 0 a {VOCAB_SIZE - 1}",
        ))
    total = len(prompt_token_ids) + max_tokens
    if total > context:
        raise ValueError(say(
            en=f"prompt and max_tokens add up to {total} tokens, but the model's context holds {context}: shorten one",
            es=f"el prompt y max_tokens suman {total} tokens, pero en el contexto del modelo caben {context}: acorta uno",
        ))
    if not all(options.stop):
        raise ValueError(say(en="stop has an empty sequence: remove it", es="stop trae una secuencia vacía: quítala"))


def answer_fault(record: RequestLog) -> str:
    """What is wrong with a loop's answer; empty if it is the complete answer that the model computed."""
    if not record.ended:
        return say(en="the loop answered the request before it had ended",
                   es="el bucle respondió a la petición antes de que terminara")
    if list(record.answer) != record.token_ids:
        return say(en="the loop's answer is not what the model computed",
                   es="la respuesta del bucle no es la que calculó el modelo")
    return ""


SLOW_S = 3.0  # a loop that has not answered by then is reported as slow
# One answer that ends by itself and two that are cut: a loop that serves only one kind is noticed.
TRIALS = (("fix: she go to school", 128), ("fix: he have a dog", 4), ("corrige: ella van a casa", 1))


def try_out(engine, timeout_s: float, on_slow: Callable[[], None] = lambda: None) -> EngineState:
    """Let an engine serve a few requests together, or give up waiting for them; return its state.

    `on_slow` is called once if they are not answered within three seconds. Wrong answers count as failed.
    """
    endings = queue.SimpleQueue()

    def listen(event) -> None:
        if event.reason is not None:
            endings.put(event)

    handles = []
    try:
        for prompt, max_tokens in TRIALS:
            handles.append(engine.submit(encode_prompt(prompt), max_tokens, listener=listen))
    except (EngineDown, QueueFull):  # it has failed already, or accepts fewer
        pass
    is_answered, wrong = _hear_all(endings, len(handles), timeout_s, on_slow)
    for handle in () if is_answered else handles:
        engine.cancel(handle)
    if wrong and engine.state.is_healthy:
        return EngineState(name=FAILED, reason=wrong)
    if not is_answered and engine.state.is_healthy:
        return EngineState(name=FAILED, reason=say(
            en=f"the loop did not answer its first requests within {timeout_s:.0f} s",
            es=f"el bucle no respondió sus primeras peticiones en {timeout_s:.0f} s",
        ))
    return engine.state


def _hear_all(endings, count: int, timeout_s: float, on_slow: Callable[[], None]) -> tuple[bool, str]:
    """Wait for `count` endings; return whether all came, and why one failed."""
    start_s, is_slow, wrong = time.monotonic(), False, ""
    while count:
        limit_s = timeout_s if is_slow else min(SLOW_S, timeout_s)
        try:
            event = endings.get(timeout=max(0.0, start_s + limit_s - time.monotonic()))
        except queue.Empty:
            if is_slow or limit_s == timeout_s:
                return False, wrong
            is_slow = True
            on_slow()
            continue
        count -= 1
        if event.reason != QUEUE_FULL:
            wrong = wrong or event.error
    return True, wrong
