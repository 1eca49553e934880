"""The same as `python -m minigpt mutation`, in the Python at hand."""

import sys

from tests.tools.mutation.command import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main(sys.argv[1:]))
