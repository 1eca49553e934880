"""Hugging Face's library never asks the network; it reads this when it is imported."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
