"""The test of Ray Serve is for `python -m minigpt ray-test` alone: Ray has an environment of its own."""

import os

collect_ignore = [] if os.environ.get("MINIGPT_RAY") else ["test_ray_serve.py"]
