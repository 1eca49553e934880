"""``python -m minigpt setup``: make .venv and install what the labs need."""

from minigpt.cli.arguments import Parser
from minigpt.environment.install import CPU_INDEX, fail, install
from minigpt.environment.layout import uses_current_interpreter
from minigpt.language import say


def main(argv):
    """Set the environment up, even if its stamp says that nothing is missing."""
    parser = Parser(prog="python -m minigpt setup", description=say(
        en="Make .venv and install what the labs need.",
        es="Crea .venv e instala lo que necesitan los laboratorios."))
    parser.add_argument("--torch-index", metavar="URL", help=say(
        en=f"install torch from this index first; on Linux without a GPU, {CPU_INDEX} saves gigabytes "
        "(with make: make setup TORCH_INDEX=URL)",
        es=f"instala torch primero desde este índice; en Linux sin GPU, {CPU_INDEX} ahorra gigabytes "
        "(con make: make setup TORCH_INDEX=URL)"))
    parser.add_argument("--tests", action="store_true", help=say(
        en="also install what the repository's tests need",
        es="instala también lo que necesitan las pruebas"))
    options = parser.parse_args(argv)
    if uses_current_interpreter():
        return fail(say(en="MINIGPT_ENV=current uses this Python as it is; unset it, or install with: "
                        "python -m pip install -r requirements.txt -e .",
                        es="MINIGPT_ENV=current usa este Python tal como está; quítala, o instala con: "
                        "python -m pip install -r requirements.txt -e ."), 2)
    status = install("tests" if options.tests else "labs", options.torch_index, again=True)
    if status == 0:
        print(say(en="Ready. Open the labs with: make lab   (without make: python -m minigpt lab)",
                  es="Listo. Abre los laboratorios con: make lab   (sin make: python -m minigpt lab)"))
    return status
