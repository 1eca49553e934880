"""What the test does in a notebook's page: run it, wait, read it, photograph it.

JupyterLab is started with its application exposed as `window.jupyterapp`: its commands are those of its menus, and
the notebook's model says what a page full of elements cannot: which cells have run.
"""

import time
from dataclasses import dataclass
from pathlib import Path

# Limits catch what hangs; a busy machine makes everything ten times as slow, and the test must not fail for that.
CELL_LIMIT_S, RUN_LIMIT_S = 240, 1200
PAGE_HEIGHT = 2200  # of one photograph; a notebook takes several

READY = """() => {
    const panel = window.jupyterapp?.shell.currentWidget;
    return panel?.content?.widgets?.length > 0 && panel.sessionContext?.session?.kernel?.status === 'idle'
        && !document.querySelector('#jupyterlab-splash');
}"""
RUN = """() => {
    window.runIsOver = false;
    window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.runIsOver = true; });
}"""
IS_OVER = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    return window.runIsOver && panel.sessionContext.session.kernel.status === 'idle'
        && [...panel.node.querySelectorAll('.jp-OutputArea img')].every(image => image.complete);
}"""
FIRST_NOT_RUN = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets;
    const place = cells.findIndex(cell => cell.model.type === 'code' && cell.model.executionCount === null);
    return `cell ${place}: ${cells[place]?.model.sharedModel.source.slice(0, 80)}`;
}"""
READ = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => ({
    kind: cell.model.type,
    source: cell.model.sharedModel.source,
    count: cell.model.executionCount ?? null,
    outputs: (cell.model.outputs?.toJSON() ?? []).map(output => ({
        kind: output.output_type,
        name: output.name ?? output.ename ?? '',
        text: [output.text ?? output.evalue ?? output.data?.['text/plain'] ?? ''].flat().join(''),
        types: Object.keys(output.data ?? {}),
    })),
    shown: cell.node.querySelector('.jp-OutputArea')?.innerText ?? '',
    images: [...cell.node.querySelectorAll('.jp-OutputArea img')].map(image => {
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const paper = canvas.getContext('2d');
        if (!canvas.width || !canvas.height) return {width: 0, height: 0, colours: 0, overflow: 0};
        paper.drawImage(image, 0, 0);
        const pixels = new Uint32Array(paper.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        const area = image.closest('.jp-OutputArea').getBoundingClientRect();
        return {width: canvas.width, height: canvas.height, colours: new Set(pixels).size,
                overflow: image.getBoundingClientRect().right - area.right};
    }),
}))"""
SCROLL = """top => {
    const panel = window.jupyterapp.shell.currentWidget;
    const box = panel.node.querySelector('.jp-WindowedPanel-outer');
    box.scrollTop = top;
    return {height: box.clientHeight, all: box.scrollHeight, top: box.scrollTop};
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell after the run."""

    kind: str                # "code" or "markdown"
    source: str
    count: int | None        # [n]: None for a code cell that has not run
    outputs: list[dict]      # kind, name, text, types
    shown: str               # the output as a reader sees it
    images: list[dict]       # width, height (natural, px), colours (distinct), overflow (px beyond the right edge)


def open_notebook(page, url: str) -> None:
    """Open a notebook and wait for its kernel."""
    page.goto(url)
    page.wait_for_function(READY, timeout=120_000)


def run_all(page) -> list[Cell]:
    """Run all cells, wait for the end, and return them."""
    page.evaluate(RUN)
    started = since = time.monotonic()
    waiting_for = None
    while not page.evaluate(IS_OVER):
        now, before, waiting_for = time.monotonic(), waiting_for, page.evaluate(FIRST_NOT_RUN)
        since = since if waiting_for == before else now
        if now - since > CELL_LIMIT_S or now - started > RUN_LIMIT_S:
            raise TimeoutError(f"after {now - started:.0f} s, {now - since:.0f} s of them for {waiting_for}")
        page.wait_for_timeout(500)
    return [Cell(**cell) for cell in page.evaluate(READ)]


def run_one(page, place: int) -> None:
    """Run one cell and wait for its end."""
    page.evaluate("""async place => {
        const app = window.jupyterapp;
        app.shell.currentWidget.content.activeCellIndex = place;
        await app.commands.execute('notebook:run-cell');
    }""", place)


def save(page) -> None:
    """Save the notebook, as Ctrl-S does, and wait until it is saved."""
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")


def set_theme(page, theme: str) -> None:
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_timeout(1500)


def photograph(page, name: str, folder: Path) -> list[Path]:
    """Photograph a notebook from top to bottom, in pages of a size that a person can read."""
    for old in folder.glob(f"{name}-[0-9][0-9].png"):
        old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    page.set_viewport_size({"width": before["width"], "height": PAGE_HEIGHT})
    page.wait_for_timeout(500)
    paths, top = [], 0
    while True:
        seen = page.evaluate(SCROLL, top)
        page.wait_for_timeout(300)
        paths.append(folder / f"{name}-{len(paths) + 1:02}.png")
        page.screenshot(path=str(paths[-1]))
        top = seen["top"] + seen["height"] - 40
        if seen["top"] + seen["height"] >= seen["all"] - 2 or len(paths) == 60:
            break
    page.set_viewport_size(before)
    return paths
