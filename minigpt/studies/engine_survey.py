"""What serving engines are known to do, with the source of each statement, and the questions for the reader to decide.

`EVIDENCE` says in a few sentences how each engine behaves. Lab 05 asks students to classify it; `GIVEN` answers what
the labs do not cover. Where an engine can be set up in several ways, its default counts. Engines change quickly: every row
names the version that it describes, and all were looked up in the month of `LOOKED_UP`.
"""

import textwrap
from dataclasses import dataclass

from minigpt.analysis.tables import aligned
from minigpt.language import say

MOST_COLUMNS = 100
LOOKED_UP = "2026-11"

ENGINES = (
    "Orca", "vLLM", "SGLang", "TGI", "TensorRT-LLM", "transformers", "llama.cpp", "TF Serving", "my engine",
)

# question -> the possible answers
CHOICES = {
    "unit": ("batch", "step"),  # what is scheduled as a whole
    "memory": ("none", "max", "estimate", "now"),  # KV reserved when a request is admitted
    "when_full": ("waits", "preempts", "ends"),  # KV memory runs out: which request gives way, and for how long?
    "long_prompts": ("whole", "chunks"),  # is a long prompt computed over several steps?
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How an engine behaves, in which version, and where that is written."""

    engine: str
    version: str
    en: str
    es: str
    source: str

    def __str__(self) -> str:
        # A notebook breaks longer lines anywhere, in the middle of a word.
        text = f"{self.engine}, {self.version}: {say(en=self.en, es=self.es)} [{self.source}]"
        return textwrap.fill(text, MOST_COLUMNS)


EVIDENCE = (
    Evidence(
        engine="Orca", version="2022", source="Yu et al., OSDI 2022, § 2, § 3, § 4.2",
        en="after every iteration of the model the scheduler looks again at the pool of requests; one that has "
        "ended leaves at that point. A request is admitted only if there are K/V slots for all of its max_tokens "
        "(input and output), so that it can always go on. Its whole input is processed in its first "
        "iteration.",
        es="tras cada iteración del modelo, el planificador vuelve a mirar las peticiones; la que ha terminado "
        "sale entonces. Una petición se admite solo si hay sitio de K/V para todos sus max_tokens (prompt y "
        "salida), de modo que siempre pueda seguir. Su prompt se procesa entero en su primera iteración.",
    ),
    Evidence(
        engine="vLLM", version="V1, docs 0.25 (2026)",
        source="Kwon et al., SOSP 2023; docs.vllm.ai: Optimization and Tuning; SchedulerConfig; PR 37307, 44594",
        en="each step takes the next tokens of requests, prompt or output, up to max_num_batched_tokens; a prompt that does "
           "not fit is split. A request is admitted if its whole input fits; nothing is set aside for its output (the "
           "watermark is 0): blocks are allotted as tokens come. If none is free, a request gives its blocks back and is "
           "recomputed later: V1 no longer swaps; its successor, KV offloading, has to be turned on.",
        es="cada paso toma los siguientes tokens de las peticiones, de prompt o de salida, hasta "
        "max_num_batched_tokens; un prompt que no cabe se divide. Una petición se admite si cabe todo su "
        "prompt; para la salida no se aparta nada (la marca de agua es 0): los bloques se asignan según llegan "
        "los tokens. Si no queda ninguno libre, una petición devuelve los suyos y se recalcula después: V1 ya no "
        "copia (swap); su heredera, la descarga de KV (offloading), hay que activarla.",
    ),
    Evidence(
        engine="SGLang", version="2026",
        source="docs.sglang.io: Hyperparameter Tuning, Server Arguments; schedule_policy.py",
        en="it assumes that running requests will use only a share of the rest of their max_new_tokens "
        "(schedule-conservativeness adjusts the share); between any two steps it admits what fits on that assumption. If the pool still "
        "fills up, it retracts running requests. Prompts longer than chunked-prefill-size are cut; unless "
        "enable-mixed-chunk is set, pieces run in steps of prefill only, and decodes wait.",
        es="supone que las peticiones en curso usarán solo una parte de lo que les queda de max_new_tokens (la ajusta "
        "schedule-conservativeness) y admite, entre dos pasos cualesquiera, lo que así cabe. Si aun así la memoria se "
        "llena, retira peticiones en curso. Los prompts más largos que chunked-prefill-size se cortan; sin "
        "enable-mixed-chunk, los trozos van en pasos de solo prefill, y los decode esperan.",
    ),
    Evidence(
        engine="TGI", version="3.3 (2025)",
        source="Hugging Face, TGI: README (maintenance mode, PR 3345), Launcher arguments, TGI v3 overview; queue.rs",
        en="(in maintenance mode since December 2025: its authors recommend vLLM and SGLang) requests join and leave "
        "between steps. max_batch_total_tokens limits "
        "the tokens that a batch could reach: every admitted request counts with its input and all of its "
        "max_new_tokens. Others stay in the queue. Since version 3 long prompts are processed in pieces.",
        es="(en modo de mantenimiento desde diciembre de 2025: sus autores recomiendan vLLM y SGLang) las peticiones "
        "entran y salen entre pasos. max_batch_total_tokens limita los tokens a los que podría llegar un lote: de cada "
        "petición admitida se cuentan el prompt y todos sus max_new_tokens. Las demás siguen en la cola. Desde la versión "
        "3 los prompts largos van por trozos.",
    ),
    Evidence(
        engine="TensorRT-LLM", version="1.4.0rc4 (2026)",
        source="NVIDIA, TensorRT-LLM: LLM API reference (TorchLlmArgs, SchedulerConfig); Migration Guide: TensorRT "
        "Backend Removed",
        en="(PyTorch runs the model now; the compiled engines are gone) in-flight batching puts requests of both "
        "phases into one step. The default policy, "
        "GUARANTEED_NO_EVICT, starts a request only if the KV blocks up to its last possible token fit: once "
        "started, it is never paused (under MAX_UTILIZATION it may be). enable_chunked_prefill is False; a "
        "prompt beyond max_num_tokens is then refused.",
        es="(hoy el modelo lo ejecuta PyTorch; los motores compilados ya no existen) el in-flight batching junta en "
        "un paso peticiones de ambas fases. La política por "
        "defecto, GUARANTEED_NO_EVICT, empieza una petición solo si caben los bloques KV hasta su último "
        "token posible: una vez empezada, nunca se pausa (con MAX_UTILIZATION puede pausarse). "
        "enable_chunked_prefill es False; un prompt mayor que max_num_tokens se rechaza entonces.",
    ),
    Evidence(
        engine="transformers", version="5.x, continuous batching (2026)",
        source="huggingface.co/docs/transformers: Continuous batching architecture",
        en="at every step the scheduler takes decodes first, then prompts, cut where max_batch_tokens ends. A new request "
           "needs free pages for its prompt, and 15 % of the cache stays free for those that grow. When it is full, the "
           "newest go back to the queue, copied to CPU memory (cpu_offload_space; 0 by default) or recomputed. Prompts with "
           "equal prefixes share blocks.",
        es="en cada paso el planificador toma primero los decode y después los prompts, cortados donde acaba "
           "max_batch_tokens. Una petición nueva necesita páginas libres para su prompt, y un 15 % de la caché queda libre "
           "para las que crecen. Cuando se llena, las más nuevas vuelven a la cola, copiadas a la memoria de la CPU "
           "(cpu_offload_space; 0 por defecto) o recalculadas. Los prompts con comienzos iguales comparten bloques.",
    ),
    Evidence(
        engine="llama.cpp", version="llama-server b9265 (2026)",
        source="llama.cpp: tools/server/README.md; PR 16736 (2025), issue 23652 (2026)",
        en="every step takes the next token of all busy slots, and then up to batch-size tokens of prompts; a longer prompt "
           "continues in the next step. By default the slots share one cache (kv-unified), and a request starts when a slot is free: "
           "memory for its tokens is taken as they come, and nothing checks whether all of them together will fit. When no "
           "room is left, idle slots are cleared first; then running conversations stop with an error, \"Context size has "
           "been exceeded\".",
        es="cada paso toma el siguiente token de todos los slots ocupados y después hasta batch-size tokens de prompts; uno "
           "más largo sigue en el siguiente. Por defecto los slots comparten una caché (kv-unified), y una petición empieza "
           "cuando hay un slot libre: lo que necesitan sus tokens se toma según llegan, y no se comprueba si todas juntas "
           "tendrán sitio. Cuando falta sitio, primero se vacían los slots inactivos; después, conversaciones en curso se "
           "cortan con un error, «Context size has been exceeded».",
    ),
    Evidence(
        engine="TF Serving", version="2.x", source="Olston et al., 2017; TensorFlow Serving: Batching Guide",
        en="requests are merged until max_batch_size or batch_timeout_micros is reached; the merged input runs "
        "through the model once, as one call, and all of its results return together. It knows nothing of "
        "tokens or of a KV cache; requests that arrive in the meantime are queued.",
        es="las peticiones se juntan hasta llegar a max_batch_size o batch_timeout_micros; el lote conjunto "
        "pasa por el modelo una vez, en una llamada, y todos sus resultados vuelven a la vez. No sabe nada de "
        "tokens ni de caché KV; lo que llega mientras tanto va a la cola.",
    ),
    Evidence(
        engine="my engine", version="Lab 05", source="production_survey.py",
        en="this file's loop with a token_budget and admission \"watermark\": the setting of the last exercise.",
        es="el bucle de este archivo con un token_budget y admisión \"watermark\": el ajuste del último "
        "ejercicio.",
    ),
)

# What the labs do not decide: priorities, quantized KV, prefill and decode on different machines, speculative decoding.
# "–": the sources do not mention it.
GIVEN_QUESTIONS = ("priorities", "quantized KV", "disaggregated", "speculative")
GIVEN = {
    # Yu et al., OSDI 2022, section 4.2: first come, first served.
    "Orca": ("–", "–", "–", "–"),
    # vLLM, main, 2026: Engine Arguments, config/cache.py (FP8, INT8, INT4, NVFP4 and more), Disaggregated Prefilling.
    "vLLM": ("yes", "8 to 3 bits", "experimental", "yes"),
    # SGLang documentation, 2026: Server Arguments, Quantized KV Cache (FP8, FP4), PD Disaggregation.
    "SGLang": ("yes", "FP8, FP4", "yes", "yes"),
    # TGI documentation, 2025: Launcher arguments, Speculation.
    "TGI": ("–", "FP8", "–", "yes"),
    # TensorRT-LLM 1.4.0rc4, 2026: Quantization (INT8 belonged to the removed engine backend), Disaggregated Serving,
    # Speculative Decoding; priorities in the LLM API since pull request 12362.
    "TensorRT-LLM": ("yes", "FP8, NVFP4", "yes", "yes"),
    # transformers, 2026: Continuous batching, its architecture and classes.
    "transformers": ("–", "–", "–", "–"),
    # llama.cpp, tools/server/README.md, 2026: cache-type-k, cache-type-v.
    "llama.cpp": ("–", "8 to 4 bits", "–", "yes"),
    # TensorFlow Serving Batching Guide.
    "TF Serving": ("–", "–", "–", "–"),
    "my engine": ("aging", "shown only", "–", "–"),
}

# What over-admission costs, as two projects measured it on their own engines.
PUBLISHED = (
    Evidence(
        engine="vLLM", version="PR 44594, 2026-06", source="Qwen2.5-7B, GB200, concurrency 128",
        en="5 % of the blocks kept free at admission: preemptions 1065 → 187, ITL p99 40.6 → 17.7 ms, output "
        "11,582 → 12,167 tokens/s, and TTFT p50 6.6 → 11.2 s.",
        es="un 5 % de los bloques libres al admitir: desalojos 1065 → 187, p99 de ITL 40.6 → 17.7 ms, salida "
        "11 582 → 12 167 tokens/s, y p50 de TTFT 6.6 → 11.2 s.",
    ),
    Evidence(
        engine="TensorRT-LLM", version="1.2.1, issue 16827, 2026-07", source="Llama-3.3-70B FP8, H200",
        en="MAX_UTILIZATION instead of GUARANTEED_NO_EVICT, with more work than the KV memory holds: 40.6 % less output per "
           "second, TPOT p99 9.1 times as long, and TTFT p50 35.8 → 27.1 s.",
        es="MAX_UTILIZATION en vez de GUARANTEED_NO_EVICT, con más trabajo del que cabe en la memoria KV: 40.6 % menos "
        "salida por segundo, p99 de TPOT 9.1 veces mayor, y p50 de TTFT 35.8 → 27.1 s.",
    ),
)


SPANISH = {
    "yes": "sí", "aging": "envejecen", "shown only": "solo mostrado", "priorities": "prioridades",
    "quantized KV": "KV cuantizado", "8 to 3 bits": "8 a 3 bits", "8 to 4 bits": "8 a 4 bits",
    "disaggregated": "por separado", "speculative": "especulativo",
}


def _shown(words) -> list[str]:
    return [say(en=word, es=SPANISH.get(word, word)) for word in words]


def table(answers: dict) -> str:
    """The survey as text: what the reader decided, and what was given."""
    heads = ("", *CHOICES, *_shown(GIVEN_QUESTIONS))
    rows = [heads]
    for engine in ENGINES:
        decided = answers.get(engine, {})
        rows.append((engine, *(str(decided.get(question, "?")) for question in CHOICES), *_shown(GIVEN[engine])))
    return aligned(rows, numbers=False)
