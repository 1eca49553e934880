"""Checkpoints: from Hugging Face's Llama names and layout to the Mini-GPT's fused weights, and back.

A checkpoint is a folder with `config.json` and `model.safetensors`, exactly as Hugging Face's Llama class reads it.
Rotary positions turn pairs of a head's numbers. In Llama's files the two of a pair are half a head apart, in the
Mini-GPT they are adjacent: the rows of q and k are reordered when loading and saving.
"""

import json
import math
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from minigpt.llm.model import Config, Layer, MiniGPT
from minigpt.llm.tokenizer import EOS_TOKEN_ID

CHECKPOINT = Path(__file__).parent.parent / "checkpoint"

# Our name of each size -> its name in Hugging Face's LlamaConfig.
HF_NAMES = {
    "vocab_size": "vocab_size",
    "width": "hidden_size",
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "num_kv_heads": "num_key_value_heads",
    "head_size": "head_dim",
    "ffn_width": "intermediate_size",
    "context": "max_position_embeddings",
    "rope_base": "rope_theta",
    "norm_eps": "rms_norm_eps",
}


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged or of another shape."""


def random_model(config: Config, seed: int = 0) -> MiniGPT:
    """A Mini-GPT with random weights, drawn from `seed`; scaled so that signals neither grow nor fade with depth."""
    generator = torch.Generator().manual_seed(seed)

    def matrix(num_in: int, num_out: int, gain: float = 1.0) -> torch.Tensor:
        return torch.randn(num_in, num_out, generator=generator) * gain * num_in**-0.5

    cfg, residual_gain = config, (2 * config.num_layers) ** -0.5
    layers = [
        Layer(
            attention_norm=torch.ones(cfg.width),
            qkv=fused_qkv(cfg, matrix(cfg.width, (cfg.num_heads + 2 * cfg.num_kv_heads) * cfg.head_size).t()),
            attention_out=matrix(cfg.num_heads * cfg.head_size, cfg.width, residual_gain),
            ffn_norm=torch.ones(cfg.width),
            gate_up=matrix(cfg.width, 2 * cfg.ffn_width),
            down=matrix(cfg.ffn_width, cfg.width, residual_gain),
        )
        for _ in range(cfg.num_layers)
    ]
    return MiniGPT(cfg, torch.randn(cfg.vocab_size, cfg.width, generator=generator) * 0.02, layers, torch.ones(cfg.width))


def fused_qkv(config: Config, rows: torch.Tensor) -> torch.Tensor:
    """The Mini-GPT's `qkv` (E, (H + 2K)·D) from the rows of Llama's q, k and v, one below the other."""
    q_and_k, v = rows.tensor_split([(config.num_heads + config.num_kv_heads) * config.head_size])
    pairs = q_and_k.unflatten(0, (-1, 2, config.head_size // 2)).transpose(1, 2)  # (H + K, D/2, 2, E)
    return torch.cat([pairs.flatten(0, 2), v]).t().contiguous()


def llama_rows(weight: torch.Tensor, head_size: int) -> torch.Tensor:
    """Columns of q or k in `qkv` as the rows of Llama's projection: the way back."""
    return weight.t().unflatten(0, (-1, head_size // 2, 2)).transpose(1, 2).flatten(0, 2)


def to_hf(model: MiniGPT) -> dict[str, torch.Tensor]:
    """The weights under Hugging Face's names, one matrix per projection, each as (outputs, inputs)."""
    cfg = model.config
    heads = [cfg.num_heads * cfg.head_size, cfg.num_kv_heads * cfg.head_size, cfg.num_kv_heads * cfg.head_size]
    tensors = {"model.embed_tokens.weight": model.embedding, "model.norm.weight": model.final_norm}
    for index, layer in enumerate(model.layers):
        prefix = f"model.layers.{index}."
        q, k, v = layer.qkv.split(heads, dim=1)
        gate, up = layer.gate_up.chunk(2, dim=1)
        tensors[prefix + "input_layernorm.weight"] = layer.attention_norm
        tensors[prefix + "post_attention_layernorm.weight"] = layer.ffn_norm
        projections = {
            "self_attn.q_proj": llama_rows(q, cfg.head_size), "self_attn.k_proj": llama_rows(k, cfg.head_size),
            "self_attn.v_proj": v.t(), "self_attn.o_proj": layer.attention_out.t(),
            "mlp.gate_proj": gate.t(), "mlp.up_proj": up.t(), "mlp.down_proj": layer.down.t(),
        }
        tensors |= {f"{prefix}{name}.weight": rows for name, rows in projections.items()}
    return {name: tensor.detach().contiguous() for name, tensor in tensors.items()}


def hf_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor under its Hugging Face name, as (outputs, inputs)."""
    cfg = config
    queries, keys = cfg.num_heads * cfg.head_size, cfg.num_kv_heads * cfg.head_size
    shapes = {"model.embed_tokens.weight": (cfg.vocab_size, cfg.width), "model.norm.weight": (cfg.width,)}
    of_layer = {
        "input_layernorm": (cfg.width,), "post_attention_layernorm": (cfg.width,),
        "self_attn.q_proj": (queries, cfg.width), "self_attn.k_proj": (keys, cfg.width),
        "self_attn.v_proj": (keys, cfg.width), "self_attn.o_proj": (cfg.width, queries),
        "mlp.gate_proj": (cfg.ffn_width, cfg.width), "mlp.up_proj": (cfg.ffn_width, cfg.width),
        "mlp.down_proj": (cfg.width, cfg.ffn_width),
    }
    for index in range(cfg.num_layers):
        shapes |= {f"model.layers.{index}.{name}.weight": shape for name, shape in of_layer.items()}
    return shapes


def from_hf(config: Config, tensors: dict[str, torch.Tensor]) -> MiniGPT:
    """A Mini-GPT from weights under Hugging Face's names. Raises CheckpointError on a missing or misshapen tensor."""
    expected = hf_shapes(config)
    for name, shape in expected.items():
        found = tuple(tensors[name].shape) if name in tensors else "nothing"
        if found != shape:
            raise CheckpointError(f"tensor {name}: expected shape {shape}, found {found}")
    for name in sorted(tensors.keys() - expected.keys()):
        raise CheckpointError(f"tensor {name} is not part of this model")
    weights = {name: tensor.float() for name, tensor in tensors.items()}

    def rows(index: int, *names: str) -> torch.Tensor:
        return torch.cat([weights[f"model.layers.{index}.{name}.weight"] for name in names])

    layers = [
        Layer(
            attention_norm=weights[f"model.layers.{i}.input_layernorm.weight"],
            qkv=fused_qkv(config, rows(i, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")),
            attention_out=rows(i, "self_attn.o_proj").t().contiguous(),
            ffn_norm=weights[f"model.layers.{i}.post_attention_layernorm.weight"],
            gate_up=rows(i, "mlp.gate_proj", "mlp.up_proj").t().contiguous(),
            down=rows(i, "mlp.down_proj").t().contiguous(),
        )
        for i in range(config.num_layers)
    ]
    return MiniGPT(config, weights["model.embed_tokens.weight"], layers, weights["model.norm.weight"])


WAY_OUT = "Restore the shipped checkpoint with 'git checkout minigpt/checkpoint', or train one with 'make train'"


def save_checkpoint(model: MiniGPT, folder: Path) -> None:
    """Write config.json and model.safetensors (fp16, which halves the file and changes no answer) into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {HF_NAMES[name]: value for name, value in asdict(model.config).items()}
    hf_config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", **sizes, "hidden_act": "silu",
        "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False,
        "bos_token_id": None, "eos_token_id": EOS_TOKEN_ID, "torch_dtype": "float16",
    }
    (folder / "config.json").write_text(json.dumps(hf_config, indent=2) + "\n", encoding="utf-8")
    halves = {name: tensor.half() for name, tensor in to_hf(model).items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # it is written readable by its owner only, and a class shares the folder


def load_checkpoint(folder: Path = CHECKPOINT) -> MiniGPT:
    """The Mini-GPT in `folder`, in fp32. Raises CheckpointError naming the file, the error and the way out."""
    config = _read_config(Path(folder) / "config.json")
    path = Path(folder) / "model.safetensors"
    try:
        return from_hf(config, load_file(path))
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint file {path} is missing. {WAY_OUT}") from None
    except CheckpointError as error:
        raise CheckpointError(f"checkpoint file {path} does not fit its config.json: {error}. {WAY_OUT}") from None
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"checkpoint file {path} is damaged ({error}). {WAY_OUT}") from None


def _read_config(path: Path) -> Config:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        config = Config(**{ours: found[theirs] for ours, theirs in HF_NAMES.items()})
        _check_config(config)
        return config
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint file {path} is missing. {WAY_OUT}") from None
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise CheckpointError(f"checkpoint file {path} is damaged ({error!r}). {WAY_OUT}") from None


def _check_config(config: Config) -> None:
    """Raise ValueError if these cannot be the sizes of a model."""
    for ours, theirs in HF_NAMES.items():
        value, default = getattr(config, ours), getattr(Config(), ours)
        types = (int,) if isinstance(default, int) else (int, float)
        if type(value) not in types or not 0 < value < math.inf:
            raise ValueError(f"{theirs}={value!r}: it must be a positive number such as {default}")
    if config.num_heads % config.num_kv_heads or config.head_size % 2:
        raise ValueError(
            f"num_attention_heads={config.num_heads} must be a multiple of num_key_value_heads={config.num_kv_heads}, "
            f"and head_dim={config.head_size} even"
        )
