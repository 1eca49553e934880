"""The engines, in the order of the table."""

import importlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One row of the table."""

    name: str  # on the command line
    label: str  # in the table
    module: str
    is_server: bool = False  # a process of its own behind HTTP: its processor time cannot be read here

    def load(self):
        """The engine's module (see `interface`). Only the engine's own process imports it."""
        return importlib.import_module(f"minigpt.extras.engines.{self.module}")


OURS = "mini-gpt"
ENGINES = (
    Engine(name=OURS, label="Mini-GPT, Lab 03", module="mini_gpt"),
    Engine(name="hf-generate", label="Hugging Face `generate`", module="hf_generate"),
    Engine(name="hf-continuous", label="Hugging Face CB", module="hf_continuous"),
    Engine(name="hf-serve", label="`transformers serve` (HTTP)", module="hf_serve", is_server=True),
    Engine(name="openvino", label="OpenVINO GenAI", module="openvino_genai_engine"),
    Engine(name="vllm", label="vLLM (HTTP)", module="vllm_serve", is_server=True),
    Engine(name="llama-server", label="llama-server (HTTP)", module="llama_server", is_server=True),
)


def choose(names: list[str] | None) -> list[Engine]:
    """The engines of these names (None: all), ours first: the others are compared with it."""
    known = {engine.name: engine for engine in ENGINES}
    for name in names or ():
        if name not in known:
            raise ValueError(f"engine={name!r}: choose among {', '.join(known)}")
    return [engine for engine in ENGINES if names is None or engine.name in (OURS, *names)]
