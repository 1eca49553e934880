"""The canvas that figures are drawn on, and how a figure is shown: once, wherever the code runs."""

import base64
import functools
import html
import io
import tempfile
from pathlib import Path

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from minigpt.language import say
from minigpt.notebook.frontend import in_kernel

DPI = 96  # one CSS pixel is 1/96 inch: a figure of 9 inches is 864 pixels wide at 100 %
SHARPNESS = 2  # rendered at twice the size, for screens with small pixels
WIDTH_IN = 9.0

# White and opaque: the same figure is readable in JupyterLab's light and dark theme.
STYLE = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "figure.dpi": DPI,
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.2,
    "hatch.color": "#6E6E6E",
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
}


def styled(draw):
    """Run `draw` under the labs' style, whatever the reader's own matplotlibrc says."""

    @functools.wraps(draw)
    def in_style(*args, **kwargs):
        with style.context(["default", STYLE]):
            return draw(*args, **kwargs)

    return in_style


def new_figure(height_in: float, width_in: float = WIDTH_IN) -> Figure:
    """An empty figure that pyplot does not manage: nothing stays open, and nothing is shown a second time."""
    return Figure(figsize=(width_in, height_in), layout="constrained")


def shown(draw):
    """Make a function that draws a Figure show it and return None; the drawing alone is its `.figure`.

    Returning the Figure would show it twice, as the last value of a cell has its own display.
    """
    draw = styled(draw)

    @functools.wraps(draw)
    def drawn_and_shown(*args, **kwargs) -> None:
        show(draw(*args, **kwargs), draw.__name__)

    drawn_and_shown.figure = draw
    return drawn_and_shown


@styled
def png_of(figure: Figure) -> bytes:
    """The figure as a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI * SHARPNESS)
    return buffer.getvalue()


def plain_log_ticks(axis) -> None:
    """Label a logarithmic axis with 1, 2, 5, 10, 20 …, not with powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def size_px(figure: Figure) -> tuple[int, int]:
    """Width and height on the screen, in CSS pixels."""
    width_in, height_in = figure.get_size_inches()
    return round(width_in * DPI), round(height_in * DPI)


def described(figure: Figure, sentence: str) -> Figure:
    """The figure, with the sentence that says what it shows."""
    figure.sentence = sentence
    return figure


def show(figure: Figure, name: str) -> None:
    """Show a figure below the notebook's cell; outside a notebook, save it and say where."""
    if in_kernel():
        from IPython.display import display

        data, size = in_mime_types(figure, name)
        display(data, metadata=size, raw=True)
        return
    path = Path(tempfile.gettempdir()) / "minigpt-figures" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(png_of(figure))
    print(say(en=f"Figure: {path}", es=f"Figura: {path}"))


def in_mime_types(figure: Figure, name: str) -> tuple[dict, dict]:
    """What a notebook shows of a figure, and the size: the data and the metadata of `display(…, raw=True)`.

    JupyterLab takes the HTML, whose picture has an `alt` text, which its own rendering of a PNG lacks. The PNG is for
    formats without HTML, such as PDF, and the words are for those without pictures: a terminal, a test report.
    """
    png, words, (width, height) = png_of(figure), describe(figure, name), size_px(figure)
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    picture = f'<img src="{source}" alt="{html.escape(words)}" width="{width}" height="{height}">'
    size = {"width": width, "height": height}
    return {"text/html": picture, "image/png": png, "text/plain": words}, {"image/png": size}


def describe(figure: Figure, name: str) -> str:
    """What a figure shows, in words: its sentence, or else the texts in it."""
    if sentence := getattr(figure, "sentence", ""):
        return sentence
    parts = [
        " / ".join(part for part in (axis.get_title(loc="left"), axis.get_ylabel(), axis.get_xlabel(), _written(axis)) if part)
        for axis in figure.axes
    ]
    return f"[{name}: {' | '.join(part for part in parts if part)}]"


def _written(axis) -> str:
    return ", ".join(text.get_text().replace("\n", " ") for text in axis.texts[:20])
