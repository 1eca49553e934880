"""Wrong solutions made by machine: what the checks let through (`python -m minigpt mutation`, see command.py)."""
