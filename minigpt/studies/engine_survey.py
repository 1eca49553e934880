"""What serving engines are known to do, with the source of each statement, and the questions that a reader can decide.

`EVIDENCE` says in a sentence or two how each engine behaves. Lab 05 asks to classify it; `GIVEN` answers what the
labs do not cover. Where an engine can be set up in several ways, its default counts. Engines change quickly: every
source carries its year.
"""

import textwrap
from dataclasses import dataclass

from minigpt.analysis.tables import aligned
from minigpt.language import say

MOST_COLUMNS = 100

ENGINES = ("Orca", "vLLM", "SGLang", "TGI", "TensorRT-LLM", "TF Serving", "my engine")

# question -> the answers one can give
CHOICES = {
    "unit": ("batch", "step"),  # what is scheduled as a whole
    "memory": ("none", "max", "estimate", "now"),  # KV reserved when a request is admitted
    "when_full": ("waits", "preempts"),  # KV memory runs out: who gives way, the new or the running?
    "long_prompts": ("whole", "chunks"),  # can a prompt be computed over several steps?
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How an engine behaves, and where that is written."""

    engine: str
    en: str
    es: str
    source: str

    def __str__(self) -> str:
        # A notebook breaks longer lines anywhere, in the middle of a word.
        return textwrap.fill(f"{self.engine}: {say(en=self.en, es=self.es)} [{self.source}]", MOST_COLUMNS)


EVIDENCE = (
    Evidence(
        engine="Orca", source="Yu et al., OSDI 2022, § 2, § 3, § 4.2",
        en="after every iteration of the model the scheduler looks again at the pool of requests; one that has "
        "ended leaves then. A request is admitted only if there are K/V slots for all of its max_tokens "
        "(input and output), so that it can always go on. Its whole input is processed in its first "
        "iteration.",
        es="tras cada iteración del modelo, el planificador vuelve a mirar las peticiones; la que ha terminado "
        "sale entonces. Una petición se admite solo si hay sitio de K/V para todos sus max_tokens (entrada y "
        "salida), de modo que siempre pueda seguir. Su entrada se procesa entera en su primera iteración.",
    ),
    Evidence(
        engine="vLLM", source="Kwon et al., SOSP 2023; docs.vllm.ai: Optimization and Tuning (V1), 2025",
        en="each step takes the next tokens of requests, prompt or output, up to max_num_batched_tokens; a "
        "prompt that does not fit is split. Blocks are allotted as tokens need them. If none is free, a "
        "request gives its blocks back and is recomputed later.",
        es="cada paso toma los siguientes tokens de las peticiones, de entrada o de salida, hasta "
        "max_num_batched_tokens; un prompt que no cabe se divide. Los bloques se asignan según los piden los "
        "tokens. Si no queda ninguno libre, una petición devuelve los suyos y se recalcula después.",
    ),
    Evidence(
        engine="SGLang",
        source="docs.sglang.ai: Hyperparameter Tuning, Server Arguments, 2025; schedule_policy.py",
        en="it expects running requests to use only a share of what is left of their max_new_tokens "
        "(schedule-conservativeness moves it) and admits what fits then, between any two steps. When the pool is full "
        "after all, it retracts running requests. Prompts longer than chunked-prefill-size are cut.",
        es="supone que las peticiones en curso usarán solo una parte de lo que les queda de max_new_tokens (la "
        "mueve schedule-conservativeness) y admite, entre dos pasos cualesquiera, lo que así cabe. Si aun así "
        "la memoria se llena, retira peticiones en curso. Los prompts más largos que chunked-prefill-size se "
        "cortan.",
    ),
    Evidence(
        engine="TGI",
        source="Hugging Face, TGI: Launcher arguments, TGI v3 overview, 2024; router/src/…/queue.rs",
        en="(in maintenance mode by now) requests join and leave between steps. max_batch_total_tokens bounds "
        "the tokens that a batch could come to: every admitted request counts with its input and all of its "
        "max_new_tokens. Others stay in the queue. Since version 3 long prompts come in pieces.",
        es="(hoy en modo de mantenimiento) las peticiones entran y salen entre pasos. max_batch_total_tokens "
        "limita los tokens a los que podría llegar un lote: cada admitida cuenta con su entrada y todos sus "
        "max_new_tokens. Las demás siguen en la cola. Desde la versión 3 los prompts largos van por piezas.",
    ),
    Evidence(
        engine="TensorRT-LLM",
        source="NVIDIA, TensorRT-LLM 1.0: Useful Runtime Options; Paged Attention, IFB, and Request Scheduling, 2025",
        en="(behind Triton) in-flight batching puts requests of both phases into one step. The default policy, "
        "GUARANTEED_NO_EVICT, starts a request only if the KV blocks up to its last possible token fit: once "
        "started, it is never paused (under MAX_UTILIZATION it may be). With chunked context an input is "
        "processed over several steps.",
        es="(detrás de Triton) el in-flight batching junta en un paso peticiones de ambas fases. La política por "
        "defecto, GUARANTEED_NO_EVICT, empieza una petición solo si caben los bloques KV hasta su último "
        "token posible: una vez empezada, nunca se pausa (con MAX_UTILIZATION puede pausarse). Con chunked "
        "context, una entrada se procesa en varios pasos.",
    ),
    Evidence(
        engine="TF Serving", source="Olston et al., 2017; TensorFlow Serving: Batching Guide",
        en="requests are merged until max_batch_size or batch_timeout_micros is reached; the merged input runs "
        "through the model once, as one call, and all of its results return together. It knows nothing of "
        "tokens or of a KV cache; what comes meanwhile is queued.",
        es="las peticiones se juntan hasta llegar a max_batch_size o batch_timeout_micros; la entrada conjunta "
        "pasa por el modelo una vez, en una llamada, y todos sus resultados vuelven a la vez. No sabe nada de "
        "tokens ni de caché KV; lo que llega mientras tanto va a la cola.",
    ),
    Evidence(
        engine="my engine", source="production_survey.py",
        en="this file's loop with a token_budget and admission \"watermark\": the setting of the last exercise.",
        es="el bucle de este archivo con un token_budget y admisión \"watermark\": el ajuste del último "
        "ejercicio.",
    ),
)  # fmt: skip

# What the labs do not decide: priorities, quantized KV, prefill and decode on different machines, speculative decoding.
# "–": the sources do not speak of it.
GIVEN_QUESTIONS = ("priorities", "quantized KV", "disaggregated", "speculative")
GIVEN = {
    # Yu et al., OSDI 2022, section 4.2: first come, first served.
    "Orca": ("–", "–", "–", "–"),
    # vLLM documentation, 2025: Engine Arguments, Quantized KV Cache, Disaggregated Prefilling, Speculative Decoding.
    "vLLM": ("yes", "FP8", "experimental", "yes"),
    # SGLang documentation, 2025: Server Arguments, Quantized KV Cache (FP4 experimental), PD Disaggregation.
    "SGLang": ("yes", "FP8", "yes", "yes"),
    # TGI documentation, 2024: Launcher arguments, Speculation.
    "TGI": ("–", "FP8", "–", "yes"),
    # TensorRT-LLM documentation, 2025: Executor API (the LLM API has priorities since pull request 12362, 2026),
    # Numerical Precision, Disaggregated Serving, Speculative Decoding.
    "TensorRT-LLM": ("yes", "INT8, FP8", "yes", "yes"),
    # TensorFlow Serving Batching Guide.
    "TF Serving": ("–", "–", "–", "–"),
    "my engine": ("aging", "shown only", "–", "–"),
}


SPANISH = {
    "yes": "sí", "aging": "envejecen", "shown only": "solo mostrado", "priorities": "prioridades",
    "quantized KV": "KV cuantizado", "disaggregated": "por separado", "speculative": "especulativo",
}  # fmt: skip


def _shown(words) -> list[str]:
    return [say(en=word, es=SPANISH.get(word, word)) for word in words]


def table(answers: dict) -> str:
    """The survey as text: what the reader decided, and what is given."""
    heads = ("", *CHOICES, *_shown(GIVEN_QUESTIONS))
    rows = [heads]
    for engine in ENGINES:
        decided = answers.get(engine, {})
        rows.append((engine, *(str(decided.get(question, "?")) for question in CHOICES), *_shown(GIVEN[engine])))
    return aligned(rows, numbers=False)
