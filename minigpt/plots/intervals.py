"""Intervals from many runs, compared with the value that they should contain."""

from matplotlib.patches import Patch

from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS

ROW_IN = 0.075  # height of one interval


@shown
def intervals(groups: dict[str, list[tuple[float, float]]], target: float, xlabel: str):
    """A panel for each group (name -> intervals, one row per run); those that do not hold `target` stand out."""
    most = max(map(len, groups.values()))
    figure = new_figure(1.5 + ROW_IN * most)
    for axes, (name, group) in zip(figure.subplots(1, len(groups), sharex=True, squeeze=False)[0], groups.items()):
        colours = [COLOURS["useful" if low <= target <= high else "static"] for low, high in group]
        lows, highs = zip(*group)
        axes.hlines(range(len(group)), lows, highs, colors=colours, linewidth=2.2)
        axes.axvline(target, color=COLOURS["target"], linestyle="--", linewidth=1.3)
        held = colours.count(COLOURS["useful"])
        axes.set(xlabel=xlabel, ylabel=say(en="runs", es="ejecuciones"), yticks=[], title=say(en=f"{name}: {held} of {len(group)} contain it",
                                                     es=f"{name}: {held} de {len(group)} lo contienen"))
        axes.spines["left"].set_visible(False)
    keys = {"useful": say(en="contains the dashed value", es="contiene el valor de la línea discontinua"),
            "static": say(en="misses it", es="no lo contiene")}
    patches = [Patch(facecolor=COLOURS[key], label=text) for key, text in keys.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=2, fontsize=9.5)
    held = {name: (sum(low <= target <= high for low, high in group), len(group)) for name, group in groups.items()}
    return described(figure, sentences.of_intervals(xlabel, target, held))
