"""A lab's loop with real clients, next to real engines, on more than one machine. Optional: no lab needs it."""
