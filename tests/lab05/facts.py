"""The survey's answers, as the sources in minigpt/studies/engine_survey.py have them."""

FACTS = {
    "Orca": {"unit": "step", "memory": "max", "when_full": "waits", "long_prompts": "whole"},
    "vLLM": {"unit": "step", "memory": "now", "when_full": "preempts", "long_prompts": "chunks"},
    "SGLang": {"unit": "step", "memory": "estimate", "when_full": "preempts", "long_prompts": "chunks"},
    "TGI": {"unit": "step", "memory": "max", "when_full": "waits", "long_prompts": "chunks"},
    "TensorRT-LLM": {"unit": "step", "memory": "max", "when_full": "waits", "long_prompts": "whole"},
    "transformers": {"unit": "step", "memory": "now", "when_full": "preempts", "long_prompts": "chunks"},
    "llama.cpp": {"unit": "step", "memory": "now", "when_full": "ends", "long_prompts": "chunks"},
    "TF Serving": {"unit": "batch", "memory": "none", "when_full": "waits", "long_prompts": "whole"},
    "my engine": {"unit": "step", "memory": "now", "when_full": "preempts", "long_prompts": "chunks"},
}
