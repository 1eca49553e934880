"""One colour and one name per concept, the same in every figure of every lab.

The hues are those of Okabe and Ito (2008), which people with any of the common colour vision deficiencies can tell
apart; greys and the two prefill shades are ours.
"""

from minigpt.language import say
from minigpt.workloads.lengths import in_words

COLOURS = {
    "static": "#D55E00",  # vermillion
    "continuous": "#0072B2",  # blue
    "useful": "#009E73",  # bluish green
    "prefill": "#00523C",  # the same, darker: useful as well, but of another kind
    "queue": "#E69F00",  # orange
    "forming": "#F0E442",  # yellow
    "held": "#A6A6A6",  # grey, and hatched
    "empty": "#EDEDED",
    "student": "#CC79A7",  # reddish purple
    "given": "#56B4E9",  # sky blue
    "separate": "#8B5A2B",  # brown
    "products": "#3B4A6B",  # slate
    "calls": "#F2B8A0",  # pale vermillion
    "rest": "#C9CED6",  # pale slate
    "padded": "#8B2F7A",  # the student's hue, darker
    "fit": "#222222",  # nearly black, like what it is fitted to
    "guess": "#7B3FBF",  # violet
    "measured": "#000000",
    "target": "#5A5A5A",
}

# Neighbours in a timeline must be distinguishable, and all of them are useful work: shades of one hue.
USEFUL_SHADES = ("#009E73", "#7FD1B5", "#3DB893")

# For lines that are none of the listed concepts; hues that stand for a scheduler elsewhere come last.
OTHERS = ("#56B4E9", "#CC79A7", "#009E73", "#E69F00", "#000000", "#0072B2", "#D55E00")


def concept_name(key: str) -> str:
    """The name of a concept or of a workload in the reader's language; any other text is left as it is."""
    names = {
        "static": say(en="static", es="estático"),
        "continuous": say(en="continuous", es="continuo"),
        "useful": say(en="useful work", es="trabajo útil"),
        "prefill": say(en="first step (prefill)", es="primer paso (prefill)"),
        "queue": say(en="in the queue", es="en la cola"),
        "forming": say(en="waiting for the batch to form", es="esperando a que se forme el lote"),
        "held": say(en="finished, slot still held", es="terminada, pero ocupa el slot"),
        "empty": say(en="empty slot", es="slot libre"),
        "student": say(en="yours", es="tu versión"),
        "given": say(en="given", es="el código dado"),
        "separate": say(en="a pass each", es="una pasada por petición"),
        "products": say(en="products", es="productos"),
        "calls": say(en="calls (Python and dispatch)", es="llamadas (Python y dispatch)"),
        "rest": say(en="the rest", es="el resto"),
        "padded": say(en="yours, masked", es="tu versión, con máscara"),
        "guess": say(en="your guess", es="tu predicción"),
        "measured": say(en="measured", es="medido"),
        "fit": say(en="fit", es="ajuste"),
        "predicted": say(en="predicted", es="predicho"),
        "target": say(en="target", es="objetivo"),
    }
    return names.get(key) or in_words(str(key))


def colours_of(keys) -> dict[str, str]:
    """A colour for each key: its concept's, or the next of the others that is not in use."""
    keys = list(keys)
    used = {COLOURS[key] for key in keys if key in COLOURS}
    spare = [colour for colour in OTHERS if colour not in used] or list(OTHERS)
    unknown = [key for key in keys if key not in COLOURS]
    found = {key: spare[i % len(spare)] for i, key in enumerate(unknown)}
    return {key: COLOURS.get(key) or found[key] for key in keys}


def ink(colour: str) -> str:
    """The colour for text on white: light hues are darkened until they can be read."""
    from matplotlib.colors import to_hex, to_rgb  # here: names and hues are wanted where nothing is drawn with it

    red, green, blue = to_rgb(colour)
    brightness = _brightness(colour)
    share = min(1.0, 0.45 / brightness) if brightness else 1.0
    return to_hex((red * share, green * share, blue * share))


def text_on(colour: str) -> str:
    """The colour for text on a surface of this colour: white where black could not be read."""
    return "white" if _brightness(colour) < 0.35 else "black"


def _brightness(colour: str) -> float:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def useful_shade(request_id: int) -> str:
    """The shade of a request: the same in every run, so that one can be followed from figure to figure."""
    return USEFUL_SHADES[request_id % len(USEFUL_SHADES)]
