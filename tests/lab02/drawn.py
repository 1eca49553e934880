"""A scene as a hint shows it: who comes when and wants how much, and how to look at one's own run of it."""

from string import ascii_uppercase as NAMES

from tests.grader.outcomes import Text, t


def drawn(requests, *, max_batch: int, max_wait_s: float = 0.005, ends_with_eos: bool = False) -> Text:
    """Requests (arrival in ms, length) as rows, each as if it were alone; `.` is the step of an EOS."""
    end_ms = max(arrival + length for arrival, length in requests) + 5
    rows = ["ms    " + "".join(f"{ms:<5}" for ms in range(0, int(end_ms), 5)).rstrip()]
    rows += [
        f"{name} {length:>2}  {' ' * arrival}{name * length}{'.' * ends_with_eos}"
        for name, (arrival, length) in zip(NAMES, requests, strict=False)
    ]
    eos = t(", `.` is its EOS", ", `.` es su EOS") if ends_with_eos else t("", "")
    return t(
        f"The scene, as if each request ran alone and started at once{eos.en}; {max_batch} slots, max_wait_s is "
        f"{1e3 * max_wait_s:g} ms, a step takes 1 ms:",
        f"La escena, como si cada petición estuviera sola y empezara enseguida{eos.es}; {max_batch} slots, max_wait_s es de "
        f"{1e3 * max_wait_s:g} ms, un paso dura 1 ms:",
    ).followed_by("\n".join(["", *rows, ""]))


def how_to_look(requests, *, max_batch: int, max_wait_s: float = 0.005, ends_with_eos: bool = False) -> str:
    """The lines of a notebook's cell that draw the same scene as one's own loop serves it; empty with EOS."""
    if ends_with_eos:  # a notebook's scene ends its answers by their limit
        return ""
    given = ", ".join(f"{name}={request}" for name, request in zip(NAMES, requests, strict=False))
    wait = "" if max_wait_s == 0.005 else f", max_wait_s={max_wait_s}"
    return (f'\nmine = replay("static", scene({given}), clock="steps", tokens="scripted", max_batch={max_batch}{wait})'
            "\nplots.slot_timeline(mine)")
