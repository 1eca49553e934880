"""What the page is built from that is not ours: packages of the npm registry, of fixed versions, known by their hashes.

They are fetched once, kept, and never committed. No node is needed: Pyodide and CodeMirror come as modules that a browser
loads as they are.
"""

import base64
import hashlib
import io
import os
import tarfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

from minigpt.language import say
from minigpt.paths import repository_root

REGISTRY = "https://registry.npmjs.org"
TIMEOUT_S = 120


class Package(NamedTuple):
    """One package; `module` is the file that a browser imports by the package's name."""

    name: str
    version: str
    module: str
    integrity: str  # as npm states it

    @property
    def file_name(self) -> str:
        return f"{self.name.replace('/', '+')}-{self.version}.tgz"

    @property
    def url(self) -> str:
        # npm's own variable, for those who have a mirror.
        registry = os.environ.get("npm_config_registry", REGISTRY).rstrip("/")
        return f"{registry}/{self.name}/-/{self.name.rpartition('/')[2]}-{self.version}.tgz"


PYODIDE = Package("pyodide", "314.0.7", "pyodide.mjs",
                  "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==")
EDITOR = (
    Package("@codemirror/autocomplete", "6.20.4", "dist/index.js",
            "sha512-yF8RhOf2SXlg00+qtupzLhrglcas61boqaONiNcbPIebHCpJocpqTBA6dyrtUrQO47hqyTdeob/3XnYilT7TaQ=="),
    Package("@codemirror/commands", "6.11.1", "dist/index.js",
            "sha512-O/4hG3SC1YwcmQ0d2UVNDs+AsaNWd1iHVxbTeEBuqH+6bExAiPK3iS/BvpY6rZGURALv4ZD3sIgcCmRvw3ehBg=="),
    Package("@codemirror/lang-python", "6.2.1", "dist/index.js",
            "sha512-IRjC8RUBhn9mGR9ywecNhB51yePWCGgvHfY1lWN/Mrp3cKuHr0isDKia+9HnvhiWNnMpbGhWrkhuWOc09exRyw=="),
    Package("@codemirror/language", "6.13.1", "dist/index.js",
            "sha512-zfvU2r3TyylQLMj/te+5CnQ0rSqZi8B1oTCBbQkagcLW4Xc6imab6qN+pEJhsuNOLaJqiRyBXp9UhWA1DhVvDw=="),
    Package("@codemirror/state", "6.7.6", "dist/index.js",
            "sha512-kAz+AncRtKuIknedxT1bq4XwXv4UowhbkHU1myPrtVb/jZtImWuV5BXzv5vK6i3kYACsdiZiQKFQQ5Mq7elW8w=="),
    Package("@codemirror/streamparser", "6.0.0", "dist/index.js",
            "sha512-JTFPF6xrfjt0mnfGPgzcLiMwYmvIyNaoizp8BYzv8FE8KrT6GBGDZ190rtt+O7Wke3gG/MFHyiY9YGNeimof4w=="),
    Package("@codemirror/view", "6.43.15", "dist/index.js",
            "sha512-HHsfpqFeHyXLs983pSRe38Xajs0vFWZQ2BuX0m7Ki8w3jZ5iD8cuR3lBz2/5/X53Dhf32SBHKh6rtSTB6tKeGw=="),
    Package("@lezer/common", "1.5.5", "dist/index.js",
            "sha512-Pw7PVCndruF1pb3ebCxpSVpkMHSDjwRCLcTRw+RizUKco5QbWylwq2g4lnG/RYN7yTTQDXE9F77MwtkAyphrjg=="),
    Package("@lezer/highlight", "1.2.5", "dist/index.js",
            "sha512-O1GMVKgtf5YspFaRzpmqkVgMtIk2HG9uMAbH6wdAIdNh3TVzCsch/+cRi+6l2//UGDKe6NB9BW3cvuR5ezMQ0w=="),
    Package("@lezer/lr", "1.4.12", "dist/index.js",
            "sha512-On9HU4oMMiHPMkQDgoTnGahjgG5n/MkN38CgG77sMraKLL+3JBbeQNi1FcCXV9QRqwF9/BUXP3caHyJC1fBOTQ=="),
    Package("@lezer/python", "1.1.19", "dist/index.js",
            "sha512-MhQIURHRytsNzP/YXnqpYKW6la6voAH3kyplTOOiCdjyFY6cWWGFVmYVdHIPrElqSDf4iCDktQCockB9FxuhzQ=="),
    Package("@marijn/find-cluster-break", "1.0.4", "src/index.js",
            "sha512-Wy0V7+SGUjnF9/TkiM1hKVDPj7jKXduPNboMVtHTA8dySMURWqfg/JZ9E2Sq8JgSJmkl7k7Qe9FLeMSrSraWmQ=="),
    Package("crelt", "1.0.7", "index.js",
            "sha512-aK6BbWfhf4U/wCcLHKPJl/xa6VkVstRaPywWtMKGwuOLc/wZTyQYuoxgvZnNsBvv7Kg3YTBQYYBCggcviQczuA=="),
    Package("style-mod", "4.1.5", "src/style-mod.js",
            "sha512-WQ2llCZa9sZSkJA+aOwpg5DkfbAXFKGh//t3MRTBeruFiSBC+GXUmbBzrw3bXyboCWAbtCW9InDfBsXrRD/rAg=="),
    Package("w3c-keyname", "2.2.8", "index.js",
            "sha512-dpojBhNsCNN7T82Tm7k26A6G9ML3NkhDsnw9n/eoxSRlVBB4CEtIQ/KTCLI2Fwf3ataSXRhYFkQi3SlnFwPvPQ=="),
)
# For the browser test alone: it looks at the page as a screen reader does.
AXE = Package("axe-core", "4.14.1", "axe.min.js",
              "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==")


def cache_folder() -> Path:
    """Where fetched packages are kept; git ignores it."""
    return repository_root() / "build" / "npm"


def files_of(package: Package) -> dict[str, bytes]:
    """The files of a package by their paths in it, from the cache or from the registry. Raises ValueError."""
    kept = cache_folder() / package.file_name
    data = kept.read_bytes() if kept.is_file() else _fetched(package)
    if integrity_of(data) != package.integrity:
        raise ValueError(say(
            en=f"{package.name} {package.version} has changed: its hash is {integrity_of(data)}",
            es=f"{package.name} {package.version} ha cambiado: su hash es {integrity_of(data)}"))
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(data)
        os.replace(draft, kept)
    return unpacked(data)


def integrity_of(data: bytes) -> str:
    """The hash in npm's form."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a tarball, without the folder that all of them lie in."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in tar if member.isfile()}


def _fetched(package: Package) -> bytes:
    try:
        with urllib.request.urlopen(package.url, timeout=TIMEOUT_S) as response:
            return response.read()
    except OSError as error:
        raise ValueError(say(
            en=f"{package.url} could not be fetched ({error}); the page is built from npm's packages, once",
            es=f"no se pudo descargar {package.url} ({error}); la página se crea con paquetes de npm, una vez")) from error
