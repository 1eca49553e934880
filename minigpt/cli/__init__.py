"""One module per command of ``python -m minigpt``, each with ``main(argv) -> int``."""
