"""The forms of an answer: a whole body or the chunks of a stream, of a completion or of a chat."""

import codecs
import json
import time
import uuid

from minigpt.extras.server.completions import CompletionRequest

DONE = b"data: [DONE]\n\n"


class Choice:
    """One prompt's answer, as far as it has come."""

    def __init__(self, index: int):
        self.index, self.token_ids, self.text = index, [], ""
        self.reason: str | None = None
        self.has_spoken = False  # in a chat, the first delta names the role
        # A character of several bytes is sent once its last byte has come.
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def feed(self, token_ids, reason: str | None) -> str:
        """The text that may be sent after these tokens."""
        self.token_ids += token_ids
        self.reason = reason
        text = self._decoder.decode(bytes(token_ids), final=reason is not None)
        self.text += text
        return text


class AnswerText:
    """Writes one request's answer, for all of its prompts."""

    def __init__(self, wanted: CompletionRequest, model: str):
        self._wanted = wanted
        kind, prefix = ("chat.completion", "chatcmpl") if wanted.is_chat else ("text_completion", "cmpl")
        self._frame = {
            "id": f"{prefix}-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": model,
        }
        self.choices = [Choice(index) for index in range(len(wanted.prompts))]

    @property
    def num_tokens(self) -> int:
        return sum(len(choice.token_ids) for choice in self.choices)

    @property
    def is_complete(self) -> bool:
        return all(choice.reason is not None for choice in self.choices)

    def chunk(self, index: int, token_ids, reason: str | None) -> bytes:
        """One event of a stream; empty if there is nothing to send yet."""
        choice = self.choices[index]
        text = choice.feed(token_ids, reason)
        if not text and reason is None and not self._wanted.has_token_ids:
            return b""
        written = self._written(choice, text, token_ids)
        if self._wanted.is_chat:
            delta = {} if choice.has_spoken else {"role": "assistant"}
            written |= {"delta": delta | ({"content": text} if text or not choice.has_spoken else {})}
            choice.has_spoken = True
        usage = {"usage": self._usage() if self._wanted.has_running_usage else None}
        event = self._stream_frame | {"choices": [written]}
        return server_sent(event | (usage if self._wanted.has_usage or self._wanted.has_running_usage else {}))

    def ending(self) -> bytes:
        """The last events of a stream."""
        usage = {**self._stream_frame, "choices": [], "usage": self._usage()}
        return (server_sent(usage) if self._wanted.has_usage else b"") + DONE

    def whole(self) -> dict:
        """The body of an answer that is not streamed."""
        choices = [self._written(choice, choice.text, choice.token_ids) for choice in self.choices]
        if self._wanted.is_chat:
            for written, choice in zip(choices, self.choices, strict=True):
                written["message"] = {"role": "assistant", "content": choice.text, "refusal": None}
        return {**self._frame, "choices": choices, "usage": self._usage()}

    @property
    def _stream_frame(self) -> dict:
        return self._frame | ({"object": "chat.completion.chunk"} if self._wanted.is_chat else {})

    def _written(self, choice: Choice, text: str, token_ids) -> dict:
        written = {"index": choice.index, "logprobs": None, "finish_reason": choice.reason}
        if not self._wanted.is_chat:
            written["text"] = text
        if self._wanted.has_token_ids:
            written["token_ids"] = list(token_ids)
        return written

    def _usage(self) -> dict:
        num_prompt = self._wanted.num_prompt_tokens
        return {"prompt_tokens": num_prompt, "completion_tokens": self.num_tokens,
                "total_tokens": num_prompt + self.num_tokens}


def server_sent(data: dict) -> bytes:
    """A server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"
