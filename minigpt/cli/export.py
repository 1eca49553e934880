"""`python -m minigpt export DIR`: the tutor for other engines, as a Hugging Face directory and as GGUF."""

from minigpt.cli.arguments import Parser, new_folder
from minigpt.language import say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt export", description=say(
        en="Write the tutor as a Hugging Face Llama directory and as a GGUF file (F16), for other engines.",
        es="Escribe el tutor como directorio Llama de Hugging Face y como archivo GGUF (F16), para otros motores.",
    ))
    parser.add_argument("dir", type=new_folder, metavar="DIR", help=say(
        en="a new or empty folder, or one of an earlier export",
        es="una carpeta nueva o vacía, o la de una exportación anterior"))
    parser.add_argument("--only", choices=("hf", "gguf"), help=say(
        en="one of the two formats (default: both)", es="uno de los dos formatos (por defecto, ambos)"))
    parser.add_argument("--endless", action="store_true", help=say(
        en="EOS never comes (Hugging Face): for measurements with fixed output lengths",
        es="EOS no llega nunca (Hugging Face): para medir con longitudes de salida fijas"))
    args = parser.parse_args(argv)
    from minigpt.extras.export.export import export
    from minigpt.llm.tutor import load_tutor

    for path in export(load_tutor(), args.dir, only=args.only, endless=args.endless):
        print(f"{path}  {path.stat().st_size / 1e6:.2f} MB")
    return 0
