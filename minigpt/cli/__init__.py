"""One module a command of ``python -m minigpt``, each with ``main(argv) -> int``."""
