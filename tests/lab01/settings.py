"""The worker needs torch and the model's code for this lab."""

NEEDS_TORCH = True
