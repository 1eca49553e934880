"""Bytes as tokens: every text has an encoding, and the whole vocabulary fits in one sentence.

Tokens 0–255 are the bytes of UTF-8; token 256 ends a sequence and is not text. "ñ" is two tokens.
"""

VOCAB_SIZE = 257
EOS_TOKEN_ID = 256
# The tutor was trained on lines: the end of the prompt's line is where its answer begins.
END_OF_PROMPT = "\n"


def encode(text: str) -> list[int]:
    """The token ids of a text: its UTF-8 bytes."""
    return list(text.encode("utf-8"))


def encode_prompt(prompt: str) -> list[int]:
    """The token ids of a prompt as the tutor was trained to see it, with the end of its line.

    Raises ValueError if the prompt is empty or holds more than one line.
    """
    line = prompt.strip()
    if not line:
        raise ValueError("prompt is empty: give a line such as 'fix: she go to school'")
    if END_OF_PROMPT in line:
        raise ValueError(f"prompt={prompt!r} has several lines: give one line at a time")
    return encode(line + END_OF_PROMPT)


def decode(token_ids: list[int]) -> str:
    """The text of token ids; EOS is left out, and an incomplete character at the end becomes '�'."""
    return bytes(token for token in token_ids if token != EOS_TOKEN_ID).decode("utf-8", errors="replace")
