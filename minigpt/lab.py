"""What a notebook imports: checks, hints, the student's code, and the comparison of a guess with a measurement.

    from minigpt.lab import Lab, reveal
    lab = Lab("03")
    lab.check("3.2")        the real checks of one exercise
    lab.hint("3.2")         the next hint
    lab.discuss("3.2")      after passing: the reference, and what else would have been right
    lab.code.admit          the student's function, as it was last saved
"""

import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from numbers import Real
from pathlib import Path

from minigpt import paths
from minigpt.analysis.several_runs import middle_and_range, runs_of
from minigpt.environment.process import child_environment
from minigpt.language import say
from minigpt.llm.threads import use_threads
from minigpt.notebook import checked, discussion, needs_magic
from minigpt.notebook.frontend import ipython_shell, notebook_language
from minigpt.notebook.live_code import LiveModule, short_path, show_syntax_errors_in_two_lines
from minigpt.schedulers import registry
from minigpt.simulation import garbage

__all__ = ["Lab", "reveal"]


class Lab:
    """One lab in a notebook."""

    def __init__(self, lab: str):
        # The notebook decides, and processes that its cells start have to use the same language.
        os.environ["MINIGPT_LANG"] = notebook_language()
        use_threads(1)
        garbage.look_rarely()
        self.folder = paths.resolve_lab(lab)
        self.number = self.folder.name[:2]
        self.impl = registry.implementation()
        self.code = LiveModule(registry.code_file(self.number, self.impl))
        self._hints_given: dict[str, int] = {}
        shell = ipython_shell()
        if shell is not None:
            needs_magic.register(shell)
            show_syntax_errors_in_two_lines(shell)
            shell.events.register("post_run_cell", guard_the_model)
        print(self._greeting())
        if is_untouched_in_the_other_language(self.folder):
            number = self.number
            print(say(
                en=f"your file is still the Spanish skeleton; for the English one: MINIGPT_LANG=en make reset LAB={number}",
                es=f"tu archivo es aún el esqueleto inglés; para el español: MINIGPT_LANG=es make reset LAB={number}",
            ))

    def __repr__(self) -> str:
        return f"<Lab {self.number}>"

    def _greeting(self) -> str:
        file = short_path(registry.code_file(self.number, self.impl))
        code = say(en=f"your code: {file}", es=f"tu código: {file}")
        if self.impl == "solution":
            code = say(en=f"the reference: {file}", es=f"la referencia: {file}")
        versions = f"Python {platform.python_version()}, torch {version_of('torch')}"
        # Two lines: one would be broken within a word on a laptop's screen.
        return say(en=f"Lab {self.number} · English · {code}\none compute thread · {versions}",
                   es=f"Laboratorio {self.number} · español · {code}\nun hilo de cálculo · {versions}")

    def check(self, exercise: str | None = None) -> None:
        """Run the checks of one exercise, or of the whole lab; what fails is reported, and raises nothing.

        The reference's checks do raise: a notebook that runs with it under nbval shows whether the labs still hold together.
        """
        found = self._find(exercise) if exercise is not None else None
        if exercise is None or found is not None:
            self._run_checks(found and found.id)

    def _run_checks(self, exercise: str | None) -> None:
        file = registry.code_file(self.number, self.impl)
        data = file.read_bytes() if file.is_file() else b""  # the text that is graded, even if the file is saved meanwhile
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            stream_output([*grade_command(self.number, self.impl, exercise), "--json", str(report)])
            if self.impl == "solution":
                checked.insist(report)
            elif report.is_file():
                needs_magic.remember_checks(self.folder, data, report)

    def hint(self, exercise: str) -> None:
        """Print the next hint of an exercise; after the last one, the last again."""
        found = self._find(exercise)
        if found is None:
            return
        count = len(found.hints)
        given = min(self._hints_given.get(found.id, 0) + 1, count)
        self._hints_given[found.id] = given
        head = say(en=f"hint {given} of {count}", es=f"pista {given} de {count}")
        print(f"{found.id} {found.title}, {head}: {found.hints[given - 1]}")

    def discuss(self, exercise: str) -> None:
        """Show what else would have been right, and the reference where this edition has it: after passing."""
        found = self._find(exercise)
        if found is not None:
            print(discussion.text(self.folder, self.impl, found, needs_magic.unpassed_exercises([found.id])))

    def _find(self, exercise: str):
        """The exercise of this lab; for a wrong name, print one line and return None."""
        try:
            return needs_magic.find_exercise(str(exercise), self.folder.name)  # str: 3.2 was meant as "3.2"
        except ValueError as error:
            print(error)
            return None


def guard_the_model(_result=None) -> None:
    """After each cell: if it has changed the shared model, say so and undo it. Never loads a model itself."""
    if "minigpt.llm.tutor" in sys.modules:
        from minigpt.llm import weight_guard

        if names := weight_guard.repair_tutor():
            print(weight_guard.warning(names))


def is_untouched_in_the_other_language(folder) -> bool:
    """Whether the student's file is a fresh skeleton in a language other than the notebook's."""
    other = paths.skeleton_file(folder, say(en="es", es="en"))
    file = paths.student_file(folder)
    return file.is_file() and other.is_file() and file.read_bytes() == other.read_bytes()


def version_of(package: str) -> str:
    """The installed version, without importing the package: torch takes seconds."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return say(en="not installed", es="no instalado")


def grade_command(lab: str, impl: str, exercise: str | None) -> list[str]:
    """The command that grades a lab, or one exercise of it."""
    only = [] if exercise is None else ["--only", exercise]
    return [sys.executable, "-m", "minigpt", "grade", lab, *only, "--impl", impl]


def stream_output(command: list[str]) -> None:
    """Run a command at the repository's root and print its output as it appears."""
    extra = {"MINIGPT_ENV": "current", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=paths.repository_root(), env=child_environment(extra), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
    )
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
    except KeyboardInterrupt:  # the kernel's stop button
        process.terminate()
        print(say(en="stopped", es="detenido"))
    finally:
        process.stdout.close()
        process.wait()


def reveal(guess, measured, text: str, unit: str = "", *, negative: str = "", calculated: bool = False) -> None:
    """Print a guess next to the measurement, and how far apart they are.

    `measured` is a number, or the list of values from several runs: then the median is shown with the range, and a
    guess within the range counts as right. `negative` says what a negative figure means ("it rises"). With `calculated`
    the figure is not called measured.
    """
    found = say(en="calculated", es="calculado") if calculated else say(en="measured", es="medido")
    middle, low, high = middle_and_range(measured)
    shown = with_unit(middle, unit)
    if (count := len(runs_of(measured))) > 1:
        shown += say(en=f" ({number(low)} to {number(high)} in {count} runs)",
                     es=f" (de {number(low)} a {number(high)} en {count} ejecuciones)")
    if negative and middle < 0:
        shown += f" ({negative})"
    if guess is None:
        en = f"{found} {shown} (you made no guess)"
        es = f"{found}, {shown} (no hiciste ninguna predicción)"
    elif isinstance(guess, bool) or not isinstance(guess, Real):
        en = f"your guess {guess!r} is not a number; write one such as 40, and run the cell again"
        es = f"tu predicción {guess!r} no es un número; escribe uno como 40 y ejecuta la celda otra vez"
    else:
        given, gap = with_unit(guess, unit), distance(guess, measured)
        en = f"your guess {given}, {found} {shown}: {gap}"
        es = f"tu predicción, {given}; {found}, {shown}: {gap}"
    print(f"{text}: {say(en=en, es=es)}")


def distance(guess: float, measured) -> str:
    """How far a guess is from the measurement. Two that are printed alike are the same."""
    middle, low, high = middle_and_range(measured)
    gap = number(abs(printed(guess) - printed(middle)))  # as a reader subtracts: 50 and 49.9 are 0.1 apart
    if float(gap) == 0:
        return say(en="you were right", es="acertaste")
    if low <= guess <= high:
        return say(en="within the spread of the runs", es="dentro de la variación entre ejecuciones")
    sign = say(en=", with the opposite sign", es=", y con el signo contrario") if guess * middle < 0 else ""
    # Worded about the guess, so that it also holds below zero: −20 is lower than −10.
    return say(en=f"your guess is {gap} too {'low' if guess < middle else 'high'}{sign}",
               es=f"tu predicción queda {gap} por {'debajo' if guess < middle else 'encima'}{sign}")


def number(value: float) -> str:
    """Three significant digits, and no exponent: 57.3, 0.0123, 1234, −5."""
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def printed(value: float) -> float:
    """The value that `number` shows."""
    return float(number(value).replace("−", "-"))


def with_unit(value: float, unit: str) -> str:
    return f"{number(value)} {unit}".rstrip()
