"""The page as it is built: whole, in both languages, without an answer and without an address of another host.

npm's packages are small stand-ins here: nothing is fetched.
"""

import ast
import base64
import hashlib
import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from minigpt.extras.browser import npm
from minigpt.notebook.exercises import load_exercises
from minigpt.paths import resolve_lab, solution_file
from tests.tools import web
from tests.tools.repo_files import ROOT
from tests.tools.skeleton import solution_lines
from tests.tools.web_texts import LABS, LOOPS, texts

pytestmark = pytest.mark.xdist_group("web")
MOST_LINES = 200
ENDS = (".py", "/__init__.py")
# Functions import these where a tutor is trained; nothing in the page calls them.
NOT_IN_PAGE = {"minigpt.corpus.corpus", "minigpt.corpus.evaluate", "minigpt.corpus.tables"}


def stand_in(package) -> dict[str, bytes]:
    library = io.BytesIO()
    with zipfile.ZipFile(library, "w") as packed:
        for name in ("queue.py", "xml/sax/__init__.py"):
            packed.writestr(name, "")
    return {package.module: b"", "LICENSE": b"MIT", "pyodide.asm.mjs": b"", "pyodide.asm.wasm": b"",
            "python_stdlib.zip": library.getvalue(), "pyodide-lock.json": b'{"info": {}, "packages": {"x": {}}}'}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(npm, "files_of", stand_in)
        folder = tmp_path_factory.mktemp("web") / "año"
        size = web.build(folder)
        with pytest.raises(ValueError, match="empty folder|carpeta vacía"):
            web.build(folder)
    assert size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return folder


@pytest.fixture(scope="module")
def python(page):
    """The files of the page's Python by their names."""
    with zipfile.ZipFile(page / "python.zip") as packed:
        return {name: packed.read(name).decode("utf-8") for name in packed.namelist()}


def our_modules(page) -> list[Path]:
    return sorted(page.glob("*.js"))


def test_every_import_is_found(page):
    imports = json.loads(re.search(r'importmap">(.*?)</script>', (page / "index.html").read_text(encoding="utf-8"), re.S)[1])["imports"]
    assert all((page / place).is_file() for place in imports.values())
    for module in our_modules(page):
        for name in re.findall(r"from '([^']+)'", module.read_text(encoding="utf-8")):
            assert name in imports or (page / name).is_file() or name == "./vendor/pyodide/pyodide.mjs", f"{module.name}: {name}"


def test_our_modules_are_small_and_name_no_other_host(page):
    for module in [*our_modules(page), page / "index.html", page / "style.css"]:
        text = module.read_text(encoding="utf-8")
        assert text.count("\n") <= MOST_LINES, module.name
        assert set(re.findall(r"https?://[^'\"/]+", text)) <= {"http://www.w3.org"}, module.name


def test_the_service_worker_keeps_every_file(page):
    worker = (page / "sw.js").read_text(encoding="utf-8")
    kept = json.loads(re.search(r"const FILES = (.*);", worker)[1])
    files = {path.relative_to(page).as_posix() for path in page.rglob("*") if path.is_file()}
    assert set(kept) == {"./", *files} - {"sw.js"} and "VERSION" not in worker


def test_no_answer_travels_with_it(page, python):
    secret = {line.strip() for lab in LABS for line in solution_lines(solution_file(resolve_lab(lab)).read_text(encoding="utf-8"))}
    secret = {line for line in secret if len(line) >= 45}
    assert secret and not [name for name in python if name.startswith("solutions")]
    told = [*python.values(), *(path.read_text(encoding="utf-8") for path in page.glob("texts.*.json"))]
    assert not [line for text in told for line in text.splitlines() if line.strip() in secret]


def test_the_pages_python_has_all_that_it_imports(python):
    missing = set()
    for name in filter(lambda name: name.endswith(".py"), python):
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))  # in the edition some are sealed
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            modules = {each for name in names for each in (name, name.rpartition(".")[0]) if is_ours(each)}
            missing |= {each for each in modules if not any(f"{each.replace('.', '/')}{end}" in python for end in ENDS)}
    assert missing <= NOT_IN_PAGE


def is_ours(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return module.split(".")[0] in ("minigpt", "tests") and any(Path(f"{path}{end}").is_file() for end in ENDS)


def test_both_languages_say_the_same_things(page):
    english, spanish = (json.loads((page / f"texts.{language}.json").read_text(encoding="utf-8")) for language in ("en", "es"))
    for lab in LABS:
        ids = [exercise.id for exercise in load_exercises(resolve_lab(lab))]
        for told in (english, spanish):
            assert [each["id"] for each in told["labs"][lab]["exercises"]] == ids
            assert all(each["task"] and each["hints"] for each in told["labs"][lab]["exercises"])
        assert english["labs"][lab]["title"] != spanish["labs"][lab]["title"]
    assert english["first"]["compare"]["static"]["figures"] == spanish["first"]["compare"]["static"]["figures"]
    words = (page / "texts.js").read_text(encoding="utf-8")
    first, second = words.split("\n  es: {\n")
    names = [re.findall(r"(?:^|[{,])\s*'?([\w]+)'?: ", part, re.M) for part in (first.split("\n  en: {\n")[1], second)]
    assert sorted(names[0]) == sorted(names[1]) and len(names[0]) > 60


def test_texts_leave_the_language_as_it_was(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert set(texts("es")["labs"]) == set(LOOPS) == set(LABS)
    assert os.environ["MINIGPT_LANG"] == "en"


def test_the_library_is_without_what_nobody_needs(page):
    with zipfile.ZipFile(page / "vendor/pyodide/python_stdlib.zip") as packed:
        assert packed.namelist() == ["queue.py"]


def tarball(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as target:
        for name, data in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(data)
            target.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def test_a_package_is_known_by_its_hash_and_fetched_once(tmp_path, monkeypatch):
    data = tarball({"dist/index.js": b"export {}"})
    hashed = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    fetched = []
    monkeypatch.setattr(npm, "cache_folder", lambda: tmp_path / "npm")
    monkeypatch.setattr(npm, "_fetched", lambda package: fetched.append(package.url) or data)
    good, bad = (npm.Package("@a/b", "1.0.0", "dist/index.js", each) for each in (hashed, "sha512-other"))
    with pytest.raises(ValueError, match="hash"):
        npm.files_of(bad)
    assert npm.files_of(good) == npm.files_of(good) == {"dist/index.js": b"export {}"}
    assert fetched == ["https://registry.npmjs.org/@a/b/-/b-1.0.0.tgz"] * 2
