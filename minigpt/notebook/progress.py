"""A progress bar for long work: a widget in a notebook, a line in a terminal, nothing in a file."""

from collections.abc import Iterable

from minigpt.notebook.frontend import has_front_end, has_widgets, in_kernel


def progress(iterable: Iterable, label: str, total: int | None = None) -> Iterable:
    """Iterate, showing how far it is; the bar goes away at the end."""
    # Not tqdm.auto: it warns where ipywidgets is missing, and draws a widget where there is no viewer.
    if has_front_end() and has_widgets():
        return _widget_bar(iterable, label, total)
    from tqdm.std import tqdm

    if in_kernel():
        return tqdm(iterable, desc=label, total=total, leave=False, file=_KernelOutput(), ascii=" #")
    return tqdm(iterable, desc=label, total=total, leave=False, disable=None)  # None: only in a terminal


def _widget_bar(iterable: Iterable, label: str, total: int | None):
    from IPython.display import display
    from tqdm.notebook import tqdm

    bar = tqdm(iterable, desc=label, total=total, leave=False, display=False)
    handle = display(bar.container, display_id=True)
    try:
        yield from bar
    finally:
        # A closed widget stays in the saved notebook as "model not found": nothing is put in its place.
        handle.update({"text/plain": ""}, raw=True)


class _KernelOutput:
    """The kernel's standard output; standard error would be shown in red, as if something had gone wrong."""

    def write(self, text: str) -> None:
        print(text, end="")

    def flush(self) -> None:
        print(end="", flush=True)
