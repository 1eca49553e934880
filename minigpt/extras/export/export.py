"""Exports of the tutor into one folder; only files of earlier exports are ever overwritten."""

import importlib.util
import json
import sys
from pathlib import Path

from minigpt.extras.export.hf import export_hf
from minigpt.language import say
from minigpt.llm.model import MiniGPT

MARK = "minigpt-export.json"  # in every folder that was written here
GGUF_NAME = "minigpt-f16.gguf"
HF_NAMES = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def export(model: MiniGPT, folder: Path, *, only: str | None = None, endless: bool = False) -> list[Path]:
    """Write the model as a Hugging Face directory and as GGUF (or `only` hf or gguf); the files."""
    folder = Path(folder)
    formats = (only,) if only else ("hf", "gguf")
    if "gguf" in formats:
        check_gguf()
    take_folder(folder)
    written = []
    if "hf" in formats:
        export_hf(model, folder, endless=endless)
        written += [folder / name for name in HF_NAMES]
    if "gguf" in formats:
        from minigpt.extras.export.gguf import export_gguf

        export_gguf(model, folder / GGUF_NAME)
        written.append(folder / GGUF_NAME)
    return written


def take_folder(folder: Path) -> None:
    """Claim the folder. Raises ValueError if it holds anything that no export has written."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(say(en=f"DIR={str(folder)!r} is a file; name a new folder",
                             es=f"DIR={str(folder)!r} es un archivo; indica una carpeta nueva"))
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    foreign = sorted(found - {MARK, GGUF_NAME, *HF_NAMES})
    if foreign or (found and MARK not in found):
        name = (foreign or sorted(found))[0]
        raise ValueError(say(
            en=f"DIR={str(folder)!r} holds {name!r}, which no export wrote, and nothing in it is overwritten; "
            "name a new or empty folder",
            es=f"DIR={str(folder)!r} contiene {name!r}, que no viene de una exportación, y no se sobrescribe nada; "
            "indica una carpeta nueva o vacía",
        ))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text(json.dumps({"written_by": "python -m minigpt export"}) + "\n", encoding="utf-8")


def check_gguf() -> None:
    """Raise ValueError unless the package that writes GGUF is installed."""
    if importlib.util.find_spec("gguf") is None:
        raise ValueError(say(
            en=f"GGUF needs the package gguf (0.1 MB): {sys.executable} -m pip install gguf; "
            "or leave that file out with --only hf",
            es=f"GGUF necesita el paquete gguf (0.1 MB): {sys.executable} -m pip install gguf; "
            "o deja fuera ese archivo con --only hf",
        ))
