"""Headlines of papers with what they compare, and what engines do by default (shown in Lab 06).

Engines change quickly: every row names its version, and all were looked up in the month of `LOOKED_UP`.
"""

import textwrap
from dataclasses import dataclass

from minigpt.language import say

LOOKED_UP = "2026-11"
MOST_COLUMNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A statement with its source."""

    name: str
    en: str
    es: str
    source: str

    def __str__(self) -> str:
        # A notebook breaks longer lines anywhere, in the middle of a word.
        return textwrap.fill(f"{self.name}: {say(en=self.en, es=self.es)} [{self.source}]", MOST_COLUMNS)


HEADLINES = (
    Row(
        name="×36.9", source="Orca: Yu et al., OSDI 2022",
        en="request rate at equal median latency per token, GPT-3 175B, against FasterTransformer",
        es="tasa de peticiones a igual latencia mediana por token, GPT-3 175B, frente a FasterTransformer",
    ),
    Row(
        name="×2–4", source="PagedAttention: Kwon et al., SOSP 2023",
        en="throughput at the same latency, against FasterTransformer and Orca",
        es="throughput a igual latencia, frente a FasterTransformer y Orca",
    ),
    Row(
        name="×23", source="Anyscale, blog, 2023",
        en="tokens per second, prompts counted, against a static server that pads to the longest answer of all (Lab 05)",
        es="tokens por segundo, contando los prompts, frente a un servidor estático que rellena hasta la respuesta más larga "
        "de todas (laboratorio 05)",
    ),
    Row(
        name="×31.4", source="FastServe: Wu et al., arXiv 2305.05920v3",
        en="throughput at the same average latency, against vLLM (×17.9 at the same tail latency): a preprint",
        es="throughput a igual latencia media, frente a vLLM (×17.9 a igual latencia de cola): un preprint",
    ),
    Row(
        name="×6.1", source="FastServe: Wu et al., NSDI 2026",
        en="the same system and the same authors, reviewed and published: throughput against vLLM. Quote this one",
        es="el mismo sistema y los mismos autores, ya revisado y publicado: throughput frente a vLLM. Cita este",
    ),
    Row(
        name="×7.4", source="DistServe: Zhong et al., OSDI 2024",
        en="requests per second, or targets 12.6 times as tight, with more than 90 % of requests within their targets",
        es="peticiones dentro de sus objetivos, u objetivos ×12.6 más estrictos, para más del 90 % de ellas",
    ),
    Row(
        name="×2–3", source="Leviathan et al., ICML 2023",
        en="speculative decoding, one answer at a time (T5-XXL): no batch",
        es="decodificación especulativa, una respuesta cada vez (T5-XXL): sin lote",
    ),
)
DEFAULTS = (
    Row(
        name="vLLM", source="vllm/config/cache.py, main, 2026",
        en="prefix caching is on; blocks of 16, keys by SHA-256",
        es="caché de prefijos activada; bloques de 16, claves con SHA-256",
    ),
    Row(
        name="vLLM", source="vLLM 0.14, 2026-01; PR 27614, 31998",
        en="overlap is on where possible (async_scheduling); with n-gram guesses it turns itself off",
        es="solapamiento activado donde se puede (async_scheduling); con tokens adivinados por n-gramas se desactiva solo",
    ),
    Row(
        name="vLLM", source="docs.vllm.ai 0.25, SpeculativeConfig, SchedulerConfig, 2026",
        en="no speculation unless it is configured; first come, first served",
        es="sin especulación salvo que se configure; por orden de llegada",
    ),
    Row(
        name="SGLang", source="sglang/srt/server_args.py, main, 2026",
        en="prefix caching is on (a radix tree); the longest unused prefix is evicted first",
        es="caché de prefijos activada (un árbol radix); se desaloja primero lo que lleva más sin uso",
    ),
    Row(
        name="SGLang", source="SGLang 0.4, 2024-12; server_args.py, 2026",
        en="overlap is on (the scheduler runs one batch ahead)",
        es="solapamiento activado (el planificador va un lote por delante)",
    ),
    Row(
        name="SGLang", source="server_args.py, 2026",
        en="no speculation unless an algorithm is named; first come, first served, not the longest prefix first (lpm)",
        es="sin especulación salvo que se nombre un algoritmo; por orden de llegada, no el prefijo más largo primero (lpm)",
    ),
)
