"""What a live engine does not take in, and what it does not let out."""

from minigpt.language import say
from minigpt.runlog import RequestLog
from minigpt.tokenizer import VOCAB_SIZE
from minigpt.workload import WorkItem


def check_tokens(item: WorkItem, context: int) -> None:
    """Refuse token ids that the model does not have, and more of them than it can hold."""
    wrong = [token for token in item.prompt_token_ids if not 0 <= token < VOCAB_SIZE]
    if wrong:
        raise ValueError(say(
            en=f"token id {wrong[0]} is not in the vocabulary: choose 0 to {VOCAB_SIZE - 1}",
            es=f"el id de token {wrong[0]} no está en el vocabulario: elige de 0 a {VOCAB_SIZE - 1}",
        ))  # fmt: skip
    total = len(item.prompt_token_ids) + item.max_tokens
    if total > context:
        raise ValueError(say(
            en=f"prompt and max_tokens make {total} tokens, and the model's context holds {context}: shorten one",
            es=f"el prompt y max_tokens suman {total} tokens, y en el contexto del modelo caben {context}: acorta uno",
        ))  # fmt: skip


def answer_fault(life: RequestLog) -> str:
    """What is wrong with a loop's answer; empty if it is what the model computed, to its end."""
    if not life.ended:
        return say(en="the loop answered the request before it had ended",
                   es="el bucle respondió la petición antes de que terminara")  # fmt: skip
    if list(life.answer) != life.token_ids:
        return say(en="the loop's answer is not what the model computed",
                   es="la respuesta del bucle no es la que calculó el modelo")  # fmt: skip
    return ""
