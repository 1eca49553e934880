"""``python -m minigpt web [DIR]``: the labs as a static page; without a folder it is built aside and served here.

The page holds the student edition (student_edition.py), so no answer travels with it, and npm's packages. Paths are
relative: it works below any address, and it asks no other host for anything.
"""

import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

from minigpt.cli import arguments
from minigpt.extras.browser import npm
from minigpt.extras.browser.serve import serve
from minigpt.language import say
from minigpt.paths import repository_root
from tests.tools.student_edition import write_edition
from tests.tools.web_texts import LABS, texts

PAGE = repository_root() / "minigpt" / "extras" / "browser" / "page"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
# Of the standard library: mail, XML and others that no lab has a use for, and what a page cannot do.
LIBRARY_LEFT_OUT = (
    "_pyrepl/", "doctest.py", "ftplib.py", "imaplib.py", "mailbox.py", "multiprocessing/", "pdb.py", "poplib.py", "pydoc.py",
    "smtplib.py", "unittest/", "wsgiref/", "xml/", "xmlrpc/",
)
# Of the edition, what the page's Python may import; the model needs torch and stays at home.
PYTHON_FOLDERS = ("minigpt/", "tests/__init__", "tests/grader/", *(f"tests/lab{lab}/" for lab in LABS))
PYTHON_LEFT_OUT = (
    "minigpt/__main__", "minigpt/cli/", "minigpt/corpus/", "minigpt/environment/", "minigpt/extras/", "minigpt/lab.py",
    "minigpt/studies/", "tests/grader/grade", "tests/grader/notes", "tests/grader/class_", "tests/grader/session", "tests/grader/sandbox",
)
KEPT = (
    "minigpt/checkpoint/prompts.jsonl", "minigpt/corpus/__init__.py", "minigpt/corpus/prompts.py", "minigpt/extras/__init__.py",
    "minigpt/extras/browser/__init__.py", "minigpt/extras/browser/figures.py", "minigpt/extras/browser/figures_04_05.py",
    "minigpt/studies/__init__.py",
    "minigpt/studies/engine_survey.py", "minigpt/studies/static_variants.py",
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same page from the same sources, byte by byte


def build(folder: Path) -> int:
    """Write the page into an empty or new folder; how many bytes it has."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(say(en=f"{folder} is not an empty folder: choose another, nothing of yours is overwritten",
                             es=f"{folder} no es una carpeta vacía: elige otra; nada tuyo se sobrescribe"))
    files = {**page_files(), **vendor_files(), "python.zip": python_zip(), **text_files()}
    files["sw.js"] = with_list(files["sw.js"], files)
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return sum(map(len, files.values()))


def page_files() -> dict[str, bytes]:
    """Our own part, with the addresses of the modules filled in."""
    files = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in sorted(PAGE.rglob("*")) if path.is_file()}
    imports = {package.name: f"./vendor/{package.name}.js" for package in npm.EDITOR}
    files["index.html"] = files["index.html"].replace(b"IMPORTS", json.dumps({"imports": imports}, indent=2).encode())
    return files


def vendor_files() -> dict[str, bytes]:
    """What is not ours, with its licences."""
    pyodide = npm.files_of(npm.PYODIDE)
    files = {f"vendor/pyodide/{name}": pyodide[name] for name in PYODIDE_FILES}
    files["vendor/pyodide/python_stdlib.zip"] = standard_library(pyodide["python_stdlib.zip"])
    lock = json.loads(pyodide["pyodide-lock.json"])
    files["vendor/pyodide/pyodide-lock.json"] = json.dumps({**lock, "packages": {}}).encode()
    licences = [f"{npm.PYODIDE.name} {npm.PYODIDE.version}: MPL-2.0, https://github.com/pyodide/pyodide"]
    for package in npm.EDITOR:
        found = npm.files_of(package)
        files[f"vendor/{package.name}.js"] = found[package.module]
        licences.append(f"{package.name} {package.version}\n\n{found['LICENSE'].decode('utf-8')}")
    return {**files, "vendor/licences.txt": "\n\n----\n\n".join(licences).encode("utf-8")}


def standard_library(packed: bytes) -> bytes:
    """Pyodide's standard library without the modules that are not needed here."""
    with zipfile.ZipFile(io.BytesIO(packed)) as source:
        names = [name for name in source.namelist() if not name.startswith(LIBRARY_LEFT_OUT)]
        return zipped({name: source.read(name) for name in names})


def python_zip() -> bytes:
    """The student edition's Python, as far as the page can use it."""
    with tempfile.TemporaryDirectory() as folder:
        edition = Path(folder) / "edition"
        return zipped({name: (edition / name).read_bytes() for name in filter(is_used, write_edition(edition))})


def zipped(files: dict[str, bytes]) -> bytes:
    """An archive, the same bytes each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        for name in sorted(files):
            target.writestr(zipfile.ZipInfo(name, EPOCH), files[name], zipfile.ZIP_DEFLATED, compresslevel=9)
    return packed.getvalue()


def is_used(name: str) -> bool:
    """Whether the page's Python needs a file of the edition."""
    if name in KEPT or name.endswith("exercises.toml") and name.startswith(tuple(f"labs/{lab}_" for lab in LABS)):
        return True
    return name.endswith(".py") and name.startswith(PYTHON_FOLDERS) and not name.startswith(PYTHON_LEFT_OUT)


def text_files() -> dict[str, bytes]:
    """What the page says of the labs, in each language."""
    return {f"texts.{language}.json": json.dumps(texts(language), ensure_ascii=False).encode("utf-8")
            for language in ("en", "es")}


def with_list(worker: bytes, files: dict[str, bytes]) -> bytes:
    """The service worker with what it keeps, and a name that changes with it."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name])
    names = json.dumps(["./", *sorted(name for name in files if name != "sw.js")])
    return worker.replace(b"VERSION", digest.hexdigest()[:12].encode()).replace(b"[FILES]", names.encode())


def main(argv: list[str]) -> int:
    """The command."""
    parser = arguments.Parser(prog="python -m minigpt web", description=say(
        en="Write the labs as a static page that runs in a browser; without DIR, serve it here.",
        es="Escribe los laboratorios como página estática que corre en el navegador; sin DIR, la sirve aquí."))
    parser.add_argument("folder", nargs="?", default="", metavar="DIR", help=say(en="a new folder", es="una carpeta nueva"))
    parser.add_argument("--port", type=arguments.whole(1, 65_535), default=8000)
    args = parser.parse_args(argv)
    folder = Path(args.folder or repository_root() / "build" / "web")
    if not args.folder:
        shutil.rmtree(folder, ignore_errors=True)
    size = build(folder)
    print(say(en=f"{folder}: {size / 1e6:.1f} MB. Put it on any web server, below any address.",
              es=f"{folder}: {size / 1e6:.1f} MB. Ponla en cualquier servidor web, bajo cualquier dirección."))
    if not args.folder:
        serve(folder, args.port)
    return 0
