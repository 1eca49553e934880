"""A lab's loop with real clients, next to real engines, on more than one machine, in a browser. Optional: no lab needs it."""
