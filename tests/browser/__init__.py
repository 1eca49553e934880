"""JupyterLab in a real browser; run by `python -m minigpt browser` and by no other command."""
